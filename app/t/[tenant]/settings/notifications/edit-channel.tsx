'use client'

import { useState } from 'react'
import { ShownOnce } from '#components/access/shown-once.tsx'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import * as t from '#components/texts/settings-notifications/en.ts'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { limits } from '#lib/limits.ts'
import type { ChannelKind } from '#lib/schemas/notifications/channel-address.ts'
import type { Channel, NotificationEvent } from '#lib/schemas/notifications/channels.ts'
import { addressText } from './address-text.ts'
import { channelEvents, eventWords, kindWords } from './event-words.ts'

const hints: Readonly<Record<ChannelKind, string>> = {
  webhook: t.getsSignedMessageFor,
  slack: t.addressOfIncomingWebhook,
  teams: t.addressOfWorkflowsWebhook,
  mail: t.oneMailAddressOf,
}

/** A new channel, or the name, address and events of one. The address of an existing channel is not shown. */
export function EditChannel({ channel, onClose }: { channel?: Channel; onClose: () => void }) {
  const { client } = useApi()
  const [kind, setKind] = useState<ChannelKind>(channel?.kind ?? 'webhook')
  const [name, setName] = useState(channel?.name ?? '')
  const [address, setAddress] = useState('')
  const [events, setEvents] = useState<readonly NotificationEvent[]>(channel?.events ?? ['approval.requested'])
  const [secret, setSecret] = useState<string>()
  const create = useAct({
    send: client.notifications.createChannel.mutate,
    touches: ['notifications'],
    onDone: (created) => (created.secret === undefined ? onClose() : setSecret(created.secret)),
  })
  const update = useAct({
    send: client.notifications.updateChannel.mutate,
    touches: ['notifications'],
    onDone: onClose,
  })
  if (secret !== undefined) return <NewSecret secret={secret} onClose={onClose} />
  const act = channel === undefined ? create : update
  const save = () =>
    channel === undefined
      ? create.run({ kind, name, address, events: [...events] })
      : update.run({
          id: channel.id,
          expectedRevision: channel.revision,
          name,
          events: [...events],
          ...(address !== '' && { address }),
        })
  return (
    <ActDialog
      title={channel === undefined ? t.addChannel : t.changeNamed({ channel: channel.name })}
      description={hints[kind]}
      label={channel === undefined ? t.addThe : t.saveChannel}
      busyLabel={channel === undefined ? t.addingChannel : t.savingChannel}
      missing={missing({ kind, name, address, events, isNew: channel === undefined })}
      act={act}
      onRun={save}
      onClose={onClose}
    >
      {channel === undefined && (
        <SelectField
          label={t.kind}
          value={kind}
          onChange={(value) => setKind(value as ChannelKind)}
          placeholder=""
          options={Object.entries(kindWords).map(([value, label]) => ({ value, label }))}
        />
      )}
      <TextField
        label={t.name}
        value={name}
        maxLength={limits.channelName}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        label={t.address}
        type={kind === 'mail' ? 'email' : 'url'}
        value={address}
        placeholder={
          channel === undefined
            ? kind === 'mail'
              ? 'team@example.com'
              : 'https://'
            : t.unchangedAt({ host: channel.host })
        }
        hint={t.storedEncryptedAndNot}
        onChange={({ target }) => setAddress(target.value)}
      />
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 font-semibold">{t.when}</legend>
        {channelEvents.map((event) => (
          <Checkbox
            key={event}
            label={eventWords[event]}
            checked={events.includes(event)}
            onChange={(checked) =>
              setEvents(checked ? [...events, event] : events.filter((chosen) => chosen !== event))
            }
          />
        ))}
      </fieldset>
    </ActDialog>
  )
}

type Form = { kind: ChannelKind; name: string; address: string; events: readonly unknown[]; isNew: boolean }

function missing(form: Form) {
  if (form.name.trim() === '') return t.giveItName
  if (form.isNew && form.address === '') return t.enterAddress
  const problem = form.address === '' ? undefined : addressText(form.kind, form.address.trim())
  if (problem !== undefined) return problem
  return form.events.length === 0 ? t.chooseAtLeastOne : undefined
}

/** The key of a webhook's signatures. */
export function NewSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <ShownOnce
      title={t.secretOfWebhook}
      description={t.receiverChecksSignaturesWith}
      noun={t.secretNoun}
      value={secret}
      confirm={t.iStoredSecret}
      lost={t.makeNewSecretIn}
      onClose={onClose}
    />
  )
}
