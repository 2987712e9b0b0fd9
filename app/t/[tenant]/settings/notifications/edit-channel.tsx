'use client'

import { useState } from 'react'
import { ShownOnce } from '#components/access/shown-once.tsx'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { limits } from '#lib/limits.ts'
import { type ChannelKind, whyNotAddress } from '#lib/schemas/notifications/channel-address.ts'
import type { Channel, NotificationEvent } from '#lib/schemas/notifications/channels.ts'
import { channelEvents, eventWords, kindWords } from './event-words.ts'

const hints: Readonly<Record<ChannelKind, string>> = {
  webhook: 'Gets a signed message for each event (Standard Webhooks).',
  slack: 'The address of an incoming webhook of Slack.',
  teams: 'The address of a Workflows webhook of Teams.',
  mail: 'One mail address, of a team for example. Reviewers get mail about their requests without it.',
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
      title={channel === undefined ? 'Add a channel' : `Change ${channel.name}`}
      description={hints[kind]}
      label={channel === undefined ? 'Add the channel' : 'Save the channel'}
      busyLabel={channel === undefined ? 'Adding the channel…' : 'Saving the channel…'}
      missing={missing({ kind, name, address, events, isNew: channel === undefined })}
      act={act}
      onRun={save}
      onClose={onClose}
    >
      {channel === undefined && (
        <SelectField
          label="Kind"
          value={kind}
          onChange={(value) => setKind(value as ChannelKind)}
          placeholder=""
          options={Object.entries(kindWords).map(([value, label]) => ({ value, label }))}
        />
      )}
      <TextField
        label="Name"
        value={name}
        maxLength={limits.channelName}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        label="Address"
        type={kind === 'mail' ? 'email' : 'url'}
        value={address}
        placeholder={
          channel === undefined ? (kind === 'mail' ? 'team@example.com' : 'https://') : `Unchanged, at ${channel.host}`
        }
        hint="Stored encrypted, and not shown again."
        onChange={({ target }) => setAddress(target.value)}
      />
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 font-semibold">When</legend>
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
  if (form.name.trim() === '') return 'Give it a name.'
  if (form.isNew && form.address === '') return 'Enter an address.'
  const problem = form.address === '' ? undefined : whyNotAddress(form.kind, form.address.trim())
  if (problem !== undefined) return problem
  return form.events.length === 0 ? 'Choose at least one event.' : undefined
}

/** The key of a webhook's signatures. */
export function NewSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <ShownOnce
      title="The secret of the webhook"
      description="The receiver checks signatures with it. It is shown only this once."
      noun="secret"
      value={secret}
      confirm="I stored the secret"
      lost="Make a new secret in the list of channels."
      onClose={onClose}
    />
  )
}
