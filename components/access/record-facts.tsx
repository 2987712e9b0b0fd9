import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/access-keys/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { KeyValue } from '#components/ui/text/key-values.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Secret } from '#lib/schemas/secrets.ts'
import { SecretStatusShape } from './secret-status.tsx'

/** The dates of an API key or a secret, as rows of KeyValues. */
export function RecordFacts({ record }: { record: Secret }) {
  const { status, createdBy, createdAt, expiresAt, revokedAt, archivedAt, secretId } = record
  return (
    <>
      <KeyValue name={t.state}>
        <SecretStatusShape status={status} />
      </KeyValue>
      <KeyValue name={t.made}>
        {t.timeBy({ at: () => <Time at={createdAt} />, createdBy: createdBy.displayName, shown: shownText })}
      </KeyValue>
      <KeyValue name={t.expires}>{expiresAt === null ? t.never : <Time at={expiresAt} />}</KeyValue>
      {revokedAt !== null && (
        <KeyValue name={t.revoked}>
          <Time at={revokedAt} />
        </KeyValue>
      )}
      {archivedAt !== null && (
        <KeyValue name={t.archived}>
          <Time at={archivedAt} />
        </KeyValue>
      )}
      <KeyValue name={t.secretId}>
        <Copyable value={secretId} label={t.secretIdInSentence} />
      </KeyValue>
    </>
  )
}
