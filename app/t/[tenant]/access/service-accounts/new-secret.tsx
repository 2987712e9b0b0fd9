import { ShownOnce } from '#components/access/shown-once.tsx'
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
      description="The secret is shown only this once. Store it where the program reads it."
      noun="client secret"
      value={secret}
      confirm="I stored the secret"
      lost="Rotate the secret in the list to get another one."
      onClose={onClose}
    >
      <KeyValues>
        <KeyValue name="Client ID">
          <Copyable value={clientId} label="client ID" />
        </KeyValue>
        {notAfter !== undefined && (
          <KeyValue name="Older secrets">
            {Date.parse(notAfter) <= Date.now() ? 'Expired just now' : <Time at={notAfter} />}
          </KeyValue>
        )}
      </KeyValues>
    </ShownOnce>
  )
}
