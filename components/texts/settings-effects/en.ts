import { text } from '#components/language/text.ts'

// The settings of an organisation by name, their values, and what each value means.

export const name = text(
  '{name, select, separationOfDuties {separation of duties} machineDecisions {decisions by machines} unmaskSecondPerson {a second person for unmasking} passkeyForTiers {passkeys for approvals} readingSeconds {time to read before an approval} retentionDays {retention} archiveRetentionDays {retention of archives} archivesOnErasure {archives on erasure} clientRegistration {registration of programs} rolesFrom {the source of roles} roleClaim {the claim that names roles} roleMapping {the roles that names at the provider give} groupClaim {the claim that names groups} other {{name}}}',
)
export const separationOfDuties = text(
  '{value, select, off {Requesters can approve their own requests, including open ones.} other {Requesters can no longer approve their own requests.}}',
)
export const machineDecisions = text(
  '{value, select, on {Service accounts with the permission can approve requests without a person.} other {Service accounts can no longer approve requests.}}',
)
export const unmaskSecondPerson = text(
  '{value, select, off {A privacy officer can unmask sensitive values alone.} other {Unmasking a sensitive value requires a second person.}}',
)
export const noPasskey = text(
  'Anyone with access to an approver’s session can approve in their name, whatever the risk.',
)
export const passkeyForTiers = text(
  'Approving requests of {tiers} risk requires the approver’s passkey; other requests do not.',
)
export const noReading = text('Requests of high and critical risk can be approved the moment they are opened.')
export const readingSeconds = text(
  'Requests of high and critical risk can be approved {seconds} seconds after the approver has opened them.',
)
export const noRetention = text('Nothing is deleted by age.')
export const retentionDays = text('Data older than {days} days is deleted and can’t be shown to an auditor.')
export const noArchiveRetention = text('Evidence archives are not deleted by age.')
export const archiveRetentionDays = text(
  'Evidence archives are deleted {days} days after they were made; their digests stay.',
)
export const archivesOnErasure = text(
  '{value, select, delete {An erasure deletes the evidence archives that contain the subject; their digests stay.} other {An erasure marks the evidence archives that contain the subject, and keeps them.}}',
)
export const clientRegistration = text(
  '{value, select, on {Any MCP client can register itself, and then ask people to let it call tools in their name.} other {MCP clients can no longer register themselves, and those that did can no longer get tokens.}}',
)
export const rolesFrom = text(
  '{value, select, token {Each token sets the roles of its member: anyone who administers the identity provider can give every role that is mapped, and Members can no longer set them.} other {A role needs both the membership and the token. Each membership keeps the roles of its last token, and Members sets them.}}',
)
export const roleClaim = text('Roles are read from the claim {claim} of each token.')
export const noMapping = text('Only the names of our roles count, as far as a token may give them.')
export const roleMapping = text('At the identity provider, {entries}.')
export const groupClaim = text('Groups are read from the claim {claim} of each token.')
export const entry = text('“{name}” of {issuer} gives {role}')
export const none = text('none')
export const noLimit = text('no limit')
export const seconds = text('{count} seconds')
export const days = text('{count} days')
export const choice = text(
  '{value, select, required {required} off {off} on {on} mark {mark} delete {delete} member {member} token {token} low {low} medium {medium} high {high} critical {critical} other {{value}}}',
)
export const fromTo = text('{name} from {before} to {after}')
export const waitingForApproval = text('Waiting for approval: {changes}.')
