import { text } from '#components/language/text.ts'

// Why something about a member, a service account or a secret is not possible, before the server is asked.

export const member = text(
  '{why, select, removed {This member has been removed.} vouch_people {People vouch for people, not for service accounts.} vouch_foreign {This member signs in at another organisation or identity provider, whose administrators vouch for the account.} vouch_identity {{tie, select, holder {You are the holder of this account, so another administrator must vouch for it.} invited {You invited this account on {date}, so another administrator must vouch for it.} other {You reset this account on {date}, so another administrator must vouch for it.}}} vouch_proved {It is already proved that this person controls the account.} vouch_open_link {The one-time link is not used yet, so the account can still be taken with it. Vouch after it is used.} last_admin {This is the last administrator of the tenant. Give another member the role tenant_admin first.} own_roles {You can’t change your own roles. Ask another administrator.} own_membership {You can’t change your own membership. Ask another administrator.} own_password {You can’t change your own password here. Ask another administrator.} identity {You count as this person. Ask another administrator.} token_roles {The tokens of the identity provider set this member’s roles. Change the roles there.} machine_roles {A service account can’t have the role {roles}. Choose other roles.} not_active {This member is {status}, not active.} not_suspended {This member is {status}, not suspended.} operator_only {Only the operator can reset the last administrator of the tenant, on the server: npm run tenant -- link.} machine_password {A service account does not have a password. Rotate its secret instead.} foreign_password {This member signs in at another organisation or identity provider, which manages the password.} other {This member is {status}.}}',
)
export const account = text(
  '{why, select, guarded_role {A service account can’t have the role {roles}, which is for people only.} gained_role {With its secret you would have the role {roles}, which you don’t have yourself.} lacks_permission {The service account lacks the permission {permission}, so the token could do nothing. Choose an account with the role {roles}.} agents_required {Required for a gateway token: name the agents that it may call for.} other {A SCIM token does not concern agents. Leave them out.}}',
)
export const status = text(
  '{status, select, invited {invited} active {active} suspended {suspended} removed {removed} other {{status}}}',
)
export const keyWorks = text('This API key still works. Revoke it first.')
export const already = text(
  '{status, select, expired {Already expired.} revoked {Already revoked.} other {Already archived.}}',
)
