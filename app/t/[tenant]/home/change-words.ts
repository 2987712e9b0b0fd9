import type { ReactNode } from 'react'
import { shownText as shown } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/changes/en.ts'
import type { ChangeOfNote } from '#lib/rules/home/changes-of-note.ts'
import type { Change } from '#lib/schemas/home/overview.ts'

/** What a sentence can say. The message chooses by `versioned`, `place` and `labels`. */
type Values = {
  name: string
  object: (content: ReactNode) => ReactNode
  versioned: string
  version: string
  place: string
  environment: string
  labels: string
  agent: string
  shown: (content: ReactNode) => ReactNode
}

type Words = { area: string; text: string | ((values: Values) => ReactNode) }

const words: Readonly<Record<ChangeOfNote, Words>> = {
  'agent.registered': { area: 'agents', text: t.agentRegistered },
  'agent.suspended': { area: 'agents', text: t.suspended },
  'agent.resumed': { area: 'agents', text: t.resumed },
  'agent.retired': { area: 'agents', text: t.retired },
  'release.activated': { area: 'agents', text: t.released },
  'release.revoked': { area: 'agents', text: t.withdrawn },
  'policy_version.published': { area: 'policies', text: t.published },
  'policy_binding.activated': { area: 'policies', text: t.nowApplies },
  'policy_binding.revoked': { area: 'policies', text: t.noLongerApplies },
  'standing_grant.activated': { area: 'approvals', text: t.grantApproved },
  'standing_grant.revoked': { area: 'approvals', text: t.grantRevoked },
  'member.invited': { area: 'access', text: t.invited },
  'member.roles_granted': { area: 'access', text: t.otherRoles },
  'member.roles_set': { area: 'access', text: t.rolesChanged },
  'member.suspended': { area: 'access', text: t.suspended },
  'member.resumed': { area: 'access', text: t.maySignIn },
  'member.removed': { area: 'access', text: t.removed },
  'group.members_set': { area: 'access', text: t.otherMembers },
  'tenant.settings_updated': { area: 'settings', text: t.rulesChanged },
  'tenant.settings_set': { area: 'settings', text: t.rulesProposed },
  'service_account.created': { area: 'access', text: t.accountCreated },
  'service_account.disabled': {
    area: 'access',
    text: (values) => (values.name === '' ? t.accountDisabled : t.disabled(values)),
  },
  'secret.created': { area: 'access', text: t.secretStored },
  'secret.api_key_created': { area: 'access', text: t.apiKeyCreated },
  'secret.revoked': { area: 'access', text: t.revoked },
  'connection_token.created': { area: 'access', text: t.tokenCreated },
  'connection_token.revoked': { area: 'access', text: t.revoked },
  'hold.created': { area: 'privacy', text: t.holdSet },
  'hold.released': { area: 'privacy', text: t.holdReleased },
  'log_key.rotated': { area: 'audit', text: t.keyReplaced },
}

/** The area of the console that a change belongs to. */
export const areaOf = ({ action }: Change): string => words[action].area

/** What happened, as a sentence; `object` draws the name in it. */
export function changeSentence(change: Change, object: (name: ReactNode) => ReactNode): ReactNode {
  const { text } = words[change.action]
  if (typeof text === 'string') return text
  return text({
    name: change.name ?? '',
    object,
    versioned: String(change.version !== null),
    version: change.version ?? '',
    place: String(change.environment !== null),
    environment: change.environment ?? '',
    labels: String(change.agentName === null),
    agent: change.agentName ?? '',
    shown,
  })
}
