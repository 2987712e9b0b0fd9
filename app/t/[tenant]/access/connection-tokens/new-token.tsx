import { ShownOnce } from '#components/access/shown-once.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Answers } from '#lib/trpc.ts'
import { Reach } from './reach.tsx'

type NewTokenProps = { created: Answers['connectionTokens']['create']; onClose: () => void }

/** Shows a token once, with the setting that sends it. */
export function NewToken({ created: { token, connectionToken }, onClose }: NewTokenProps) {
  const { name, use, agents, expiresAt } = connectionToken
  return (
    <ShownOnce
      title={`The connection token ${name}`}
      description="The token is shown only this once. Store it where the program reads it, never in a web page."
      noun="connection token"
      value={token}
      confirm="I stored the token"
      lost="Revoke this token in the list and create another one."
      onClose={onClose}
    >
      <KeyValues>
        <KeyValue name="For">
          <Reach use={use} agents={agents} />
        </KeyValue>
        <KeyValue name="Expires">
          <Time at={expiresAt} />
        </KeyValue>
        {use === 'scim' && (
          <KeyValue name="Address of SCIM">
            <code className="wrap-anywhere font-mono text-dense">{`${window.location.origin}/scim/v2`}</code>
          </KeyValue>
        )}
        <KeyValue name="Sent as">
          <code className="wrap-anywhere font-mono text-dense">{SETTINGS[use]}</code>
        </KeyValue>
      </KeyValues>
    </ShownOnce>
  )
}

/** How a client of each use is told to send its token. */
const SETTINGS = {
  telemetry: 'OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20<token>',
  gateway: 'Authorization: Bearer <token>',
  scim: 'Authorization: Bearer <token>',
} as const
