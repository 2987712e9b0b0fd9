import { ShownOnce } from '#components/access/shown-once.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { Time } from '#components/ui/text/time.tsx'

type NewSecretProps = {
  title: string
  clientId: string
  secret: string | undefined
  /** When the secrets that were live before end. */
  notAfter?: string
  onClose: () => void
}

/** A client secret, once. */
export function NewSecret({ title, clientId, secret, notAfter, onClose }: NewSecretProps) {
  return (
    <ShownOnce
      title={title}
      description="This is the only time that the secret is shown. Put it where the program reads it."
      noun="client secret"
      value={secret}
      confirm="I stored the secret"
      lost="Rotate the secret in the list to get another one."
      onClose={onClose}
    >
      <KeyValues>
        <KeyValue name="Client id">
          <Copyable value={clientId} label="client id" />
        </KeyValue>
        {notAfter !== undefined && (
          <KeyValue name="Older secrets">
            {Date.parse(notAfter) <= Date.now() ? 'ended now' : <Time at={notAfter} />}
          </KeyValue>
        )}
      </KeyValues>
    </ShownOnce>
  )
}
