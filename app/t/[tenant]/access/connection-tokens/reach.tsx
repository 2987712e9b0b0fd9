import * as t from '#components/texts/access-machines/en.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { ConnectionUseName } from '#lib/rules/service-accounts.ts'

/** What a token of each use is for. */
export const USES: Record<ConnectionUseName, string> = {
  telemetry: t.telemetry,
  gateway: t.toolCallsMcp,
  scim: t.membersScim,
}

type ReachProps = { use: ConnectionUseName; agents: readonly string[] | null }

/** The use of a token and the agents that it is for. */
export function Reach({ use, agents }: ReachProps) {
  return (
    <span className="flex flex-col">
      <span>{USES[use]}</span>
      {use !== 'scim' && (
        <span className="wrap-anywhere text-dense text-ink-2">
          {agents === null ? t.allAgents : <ShownText>{agents.join(', ')}</ShownText>}
        </span>
      )}
    </span>
  )
}
