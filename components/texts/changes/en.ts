import { text } from '#components/language/text.ts'

// What changed since yesterday, in sentences.

export const agentRegistered = text(
  '<object>{name}</object> {versioned, select, true {version <shown>{version}</shown> } other {}}was registered',
)
export const suspended = text('<object>{name}</object> was suspended')
export const resumed = text('<object>{name}</object> was resumed')
export const retired = text('<object>{name}</object> was retired')
export const released = text(
  '<object>{name}</object> {versioned, select, true {version <shown>{version}</shown> } other {}}was released{place, select, true { in <shown>{environment}</shown>} other {}}',
)
export const withdrawn = text(
  '<object>{name}</object> {versioned, select, true {version <shown>{version}</shown> } other {}}was withdrawn{place, select, true { in <shown>{environment}</shown>} other {}}',
)
export const published = text(
  '<object>{name}</object> {versioned, select, true {version <shown>{version}</shown> } other {}}was published',
)
export const nowApplies = text(
  '<object>{name}</object> {versioned, select, true {version <shown>{version}</shown> } other {}}now applies to {labels, select, true {agents with its labels} other {<shown>{agent}</shown>}}{place, select, true { in <shown>{environment}</shown>} other {}}',
)
export const noLongerApplies = text(
  '<object>{name}</object> {versioned, select, true {version <shown>{version}</shown> } other {}}no longer applies to {labels, select, true {agents with its labels} other {<shown>{agent}</shown>}}{place, select, true { in <shown>{environment}</shown>} other {}}',
)
export const grantApproved = text(
  'A standing grant was approved{place, select, true { in <shown>{environment}</shown>} other {}}',
)
export const grantRevoked = text(
  'A standing grant was revoked{place, select, true { in <shown>{environment}</shown>} other {}}',
)
export const invited = text('<object>{name}</object> was invited')
export const otherRoles = text('<object>{name}</object> got other roles')
export const rolesChanged = text('<object>{name}</object> has changed roles, or a change was proposed')
export const maySignIn = text('<object>{name}</object> may sign in again')
export const removed = text('<object>{name}</object> was removed')
export const otherMembers = text('<object>{name}</object> has other members')
export const rulesChanged = text('The organisation’s rules changed')
export const rulesProposed = text('The organisation’s rules changed, or a change was proposed')
export const accountCreated = text('<object>{name}</object> was created as a service account')
export const disabled = text('<object>{name}</object> was disabled')
export const accountDisabled = text('A service account was disabled')
export const secretStored = text('<object>{name}</object> was stored as a secret')
export const apiKeyCreated = text('<object>{name}</object> was created as an API key')
export const revoked = text('<object>{name}</object> was revoked')
export const tokenCreated = text('<object>{name}</object> was created as a connection token')
export const holdSet = text('A legal hold was set')
export const holdReleased = text('A legal hold was released')
export const keyReplaced = text('The key of the audit log was replaced')
