"""Addresses of one's own account. The library finds its pages by these names; those it offers beside are not here."""

from allauth.account import views as library
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as app
from allauth.mfa.webauthn import views as keys
from django.urls import path

from tourney.sign_in import forgotten, views

urlpatterns = [
    path("account/", views.account, name="account"),
    path("account/devices/end/", views.end_sessions, name="account_end_sessions"),
    path("account/password/", views.password, name="account_change_password"),
    path("account/forgotten/", forgotten.forgotten, name="account_reset_password"),
    path("account/forgotten/<str:uidb36>/<str:key>/", forgotten.new_password, name="account_reset_password_from_key"),
    path("account/address/", forgotten.address, name="account_address"),
    path("account/address/<str:token>/", forgotten.proof, name="account_address_proof"),
    path("account/again/", library.reauthenticate, name="account_reauthenticate"),
    path("account/second/", views.account, name="mfa_index"),
    path("account/second/code/", mfa.authenticate, name="mfa_authenticate"),
    path("account/second/again/", mfa.reauthenticate, name="mfa_reauthenticate"),
    path("account/second/app/", app.activate_totp, name="mfa_activate_totp"),
    path("account/second/app/remove/", app.deactivate_totp, name="mfa_deactivate_totp"),
    path("account/second/codes/", codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("account/second/codes/new/", codes.generate_recovery_codes, name="mfa_generate_recovery_codes"),
    path("account/second/codes/file/", codes.download_recovery_codes, name="mfa_download_recovery_codes"),
    path("account/second/keys/", views.account, name="mfa_list_webauthn"),
    path("account/second/keys/add/", keys.add_webauthn, name="mfa_add_webauthn"),
    path("account/second/keys/again/", keys.reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("account/second/keys/<int:pk>/remove/", keys.remove_webauthn, name="mfa_remove_webauthn"),
    path("account/second/keys/<int:pk>/", keys.edit_webauthn, name="mfa_edit_webauthn"),
    path("join/<str:token>/", views.invitation, name="invitation"),
]
