// The service worker of the tablet's page: the page and its files open without a network. It rules /tablet/ only, keeps
// no answer to a POST, and nothing of any other page.
const CACHE = "tourney-tablet-1";
const STATIC = new URL("__STATIC__", self.location.origin).pathname;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("tourney-tablet-") && name !== CACHE) await caches.delete(name);
  await self.clients.claim();
})()));

self.addEventListener("message", (event) => {
  if (!event.data?.forget) return;
  event.waitUntil((async () => {
    const cache = await caches.open(CACHE);
    await cache.delete(key(event.data.forget));
    event.ports[0]?.postMessage("forgotten");
  })());
});

// One page, whatever filter its address carries.
const key = (address) => new URL(address, self.location.origin).pathname;

async function fresh(request, name) {
  const answer = await fetch(request);
  if (answer.ok && answer.type === "basic" && !answer.redirected) {
    const cache = await caches.open(CACHE);
    await cache.put(name, answer.clone());
  }
  return answer;
}

// What is kept is shown at once and renewed behind it; the page then asks for the present boards by itself.
async function keptFirst(event, name) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(name);
  const renewed = fresh(event.request, name);
  if (!kept) return renewed;
  event.waitUntil(renewed.catch(() => {}));
  return kept;
}

self.addEventListener("fetch", (event) => {
  const address = new URL(event.request.url);
  if (event.request.method !== "GET" || address.origin !== self.location.origin) return;
  if (event.request.mode === "navigate" && address.pathname.startsWith("/tablet/")) event.respondWith(keptFirst(event, key(address)));
  else if (address.pathname.startsWith(STATIC)) event.respondWith(keptFirst(event, event.request.url));
});
