import { ShownOnce } from '#components/access/shown-once.tsx'
import * as t from '#components/texts/access-machines/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { Time } from '#components/ui/text/time.tsx'

type NewSecretProps = {
  title: string
  clientId: string
  secret: string | undefined
  /** When the older secrets expire. */
  notAfter?: string
  onClose: () => void
}

/** Shows a client secret once. */
export function NewSecret({ title, clientId, secret, notAfter, onClose }: NewSecretProps) {
  return (
    <ShownOnce
      title={title}
      description={t.secretIsShownOnly}
      noun={t.clientSecret}
      value={secret}
      confirm={t.iStoredSecret}
      lost={t.rotateSecretInList}
      onClose={onClose}
    >
      <KeyValues>
        <KeyValue name={t.clientId}>
          <Copyable value={clientId} label={t.clientIdInSentence} />
        </KeyValue>
        {notAfter !== undefined && (
          <KeyValue name={t.olderSecrets}>
            {Date.parse(notAfter) <= Date.now() ? t.expiredJustNow : <Time at={notAfter} />}
          </KeyValue>
        )}
      </KeyValues>
    </ShownOnce>
  )
}
