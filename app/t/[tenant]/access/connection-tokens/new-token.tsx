import { ShownOnce } from '#components/access/shown-once.tsx'
import * as t from '#components/texts/access-machines/en.ts'
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
      title={t.theConnectionToken({ name })}
      description={t.tokenIsShownOnly}
      noun={t.connectionTokenName}
      value={token}
      confirm={t.iStoredToken}
      lost={t.revokeThisTokenIn}
      onClose={onClose}
    >
      <KeyValues>
        <KeyValue name={t.connectionFor}>
          <Reach use={use} agents={agents} />
        </KeyValue>
        <KeyValue name={t.expires}>
          <Time at={expiresAt} />
        </KeyValue>
        {use === 'scim' && (
          <KeyValue name={t.addressOfScim}>
            <code className="wrap-anywhere font-mono text-dense">{`${window.location.origin}/scim/v2`}</code>
          </KeyValue>
        )}
        <KeyValue name={t.sentAs}>
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
