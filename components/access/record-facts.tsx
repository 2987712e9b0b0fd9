import { Copyable } from '#components/ui/controls/copyable.tsx'
import { KeyValue } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Secret } from '#lib/schemas/secrets.ts'
import { SecretStatusShape } from './secret-status.tsx'

/** The dates of an API key or a secret, as rows of KeyValues. */
export function RecordFacts({ record }: { record: Secret }) {
  const { status, createdBy, createdAt, expiresAt, revokedAt, archivedAt, secretId } = record
  return (
    <>
      <KeyValue name="State">
        <SecretStatusShape status={status} />
      </KeyValue>
      <KeyValue name="Made">
        <Time at={createdAt} /> by <ShownText>{createdBy.displayName}</ShownText>
      </KeyValue>
      <KeyValue name="Expires">{expiresAt === null ? 'Never' : <Time at={expiresAt} />}</KeyValue>
      {revokedAt !== null && (
        <KeyValue name="Revoked">
          <Time at={revokedAt} />
        </KeyValue>
      )}
      {archivedAt !== null && (
        <KeyValue name="Archived">
          <Time at={archivedAt} />
        </KeyValue>
      )}
      <KeyValue name="Secret id">
        <Copyable value={secretId} label="secret ID" />
      </KeyValue>
    </>
  )
}
