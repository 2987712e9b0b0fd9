import type { ChangeOfNote } from '#lib/rules/home/changes-of-note.ts'
import type { Change } from '#lib/schemas/home/overview.ts'

type Of = Pick<Change, 'name' | 'version' | 'environment' | 'agentName'>
type Words = { area: string; text: (change: Of) => string }

const inPlace = ({ environment }: Of): string => (environment === null ? '' : ` in ${environment}`)
const version = ({ version: number }: Of): string => (number === null ? '' : `version ${number} `)
const forAgent = ({ agentName }: Of): string => (agentName === null ? 'agents with its labels' : agentName)

/** What happened, as the rest of a sentence that begins with the name of the object; a whole sentence for those without a name. */
const words: Readonly<Record<ChangeOfNote, Words>> = {
  'agent.registered': { area: 'agents', text: (change) => `${version(change)}was registered` },
  'agent.suspended': { area: 'agents', text: () => 'was suspended' },
  'agent.resumed': { area: 'agents', text: () => 'was resumed' },
  'agent.retired': { area: 'agents', text: () => 'was retired' },
  'release.activated': { area: 'agents', text: (change) => `${version(change)}was released${inPlace(change)}` },
  'release.revoked': { area: 'agents', text: (change) => `${version(change)}was withdrawn${inPlace(change)}` },
  'policy_version.published': { area: 'policies', text: (change) => `${version(change)}was published` },
  'policy_binding.activated': {
    area: 'policies',
    text: (change) => `${version(change)}now applies to ${forAgent(change)}${inPlace(change)}`,
  },
  'policy_binding.revoked': {
    area: 'policies',
    text: (change) => `${version(change)}no longer applies to ${forAgent(change)}${inPlace(change)}`,
  },
  'standing_grant.activated': {
    area: 'approvals',
    text: (change) => `A standing grant was approved${inPlace(change)}`,
  },
  'standing_grant.revoked': { area: 'approvals', text: (change) => `A standing grant was revoked${inPlace(change)}` },
  'member.invited': { area: 'access', text: () => 'was invited' },
  'member.roles_granted': { area: 'access', text: () => 'got other roles' },
  'member.roles_set': { area: 'access', text: () => 'has changed roles, or a change was proposed' },
  'member.suspended': { area: 'access', text: () => 'was suspended' },
  'member.resumed': { area: 'access', text: () => 'may sign in again' },
  'member.removed': { area: 'access', text: () => 'was removed' },
  'group.members_set': { area: 'access', text: () => 'has other members' },
  'tenant.settings_updated': { area: 'settings', text: () => 'The organisation’s rules changed' },
  'tenant.settings_set': { area: 'settings', text: () => 'The organisation’s rules changed, or a change was proposed' },
  'service_account.created': { area: 'access', text: () => 'was created as a service account' },
  'service_account.disabled': {
    area: 'access',
    text: ({ name }) => (name === null ? 'A service account was disabled' : 'was disabled'),
  },
  'secret.created': { area: 'access', text: () => 'was stored as a secret' },
  'secret.api_key_created': { area: 'access', text: () => 'was created as an API key' },
  'secret.revoked': { area: 'access', text: () => 'was revoked' },
  'connection_token.created': { area: 'access', text: () => 'was created as a connection token' },
  'connection_token.revoked': { area: 'access', text: () => 'was revoked' },
  'hold.created': { area: 'privacy', text: () => 'A legal hold was set' },
  'hold.released': { area: 'privacy', text: () => 'A legal hold was released' },
  'log_key.rotated': { area: 'audit', text: () => 'The key of the audit log was replaced' },
}

/** The area of the console that a change belongs to, and what happened. */
export function changeWords({ action, ...change }: Change): { area: string; text: string } {
  const { area, text } = words[action]
  return { area, text: text(change) }
}
