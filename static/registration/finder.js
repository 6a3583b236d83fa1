// The rating lists beside the entry form: asks while one types, fills in whom one chooses. Without it a button does.
const finder = document.querySelector("#finder");
const form = finder?.closest("form");
const input = document.querySelector("#find");
const found = document.querySelector("#found");
const SHORTEST = 3;
let waiting;
let asked = 0;
let people = [];

const said = (name) => finder.querySelector(`[data-${name}]`).textContent;

function say(text) {
  const line = document.createElement("p");
  line.className = "found-said";
  line.textContent = text;
  found.replaceChildren(line);
}

function show(list) {
  people = list;
  if (!list.length) return say(said("nobody"));
  const box = document.createElement("ul");
  box.className = "found";
  for (const one of list) {
    const button = document.createElement("button");
    button.className = "found-person";
    button.name = "pick";
    button.value = one.key;
    const name = document.createElement("b");
    name.textContent = one.name;
    const more = document.createElement("span");
    more.textContent = one.more;
    button.append(name, " ", more);
    const item = document.createElement("li");
    item.append(button);
    box.append(item);
  }
  found.replaceChildren(box);
}

async function ask() {
  const number = ++asked;
  if (input.value.trim().length < SHORTEST) {
    found.replaceChildren();
    return;
  }
  const body = new FormData();
  body.set("find", input.value);
  if (form.elements.consent_processing?.checked) body.set("consent_processing", "on");
  body.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
  try {
    const answer = await fetch(finder.dataset.findUrl, { method: "POST", body });
    if (number !== asked) return;
    const told = await answer.json();
    if (told.refused) say(told.refused);
    else show(told.people ?? []);
  } catch {
    // no connection: the form can be filled in by hand
  }
}

function fill(one) {
  for (const [name, value] of Object.entries(one.fill)) {
    const field = form.elements[name];
    if (!field) continue;
    if (field instanceof RadioNodeList) field.value = value;
    else if (!field.value || !["surname", "given_name", "patronymic"].includes(name)) field.value = value;
    const folded = (field instanceof RadioNodeList ? field[0] : field).closest("details");
    if (folded) folded.open = true;
  }
  say(`${one.name}: ${said("filled")}`);
  form.dispatchEvent(new Event("change", { bubbles: true }));
  form.elements.surname.focus();
}

input?.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(ask, 250);
});
input?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  clearTimeout(waiting);
  ask();
});
finder?.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.name === "step") {
    event.preventDefault();
    ask();
    return;
  }
  const one = people.find((person) => person.key === button.value);
  if (!one) return; // found without scripts: the server fills in
  event.preventDefault();
  fill(one);
});
