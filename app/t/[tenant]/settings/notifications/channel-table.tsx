'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { NotDone } from '#components/forms/not-done.tsx'
import { whyNotReason } from '#components/forms/reason-rule.ts'
import * as t from '#components/texts/settings-notifications/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { TextArea } from '#components/ui/controls/text-field.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Failure } from '#lib/failure.ts'
import { limits } from '#lib/limits.ts'
import type { Channel } from '#lib/schemas/notifications/channels.ts'
import { EditChannel, NewSecret } from './edit-channel.tsx'
import { eventWords, kindWords } from './event-words.ts'

type Open = { channel: Channel; what: 'edit' | 'remove' | 'secret' }

export function ChannelTable({ channels }: { channels: Channel[] }) {
  const { client } = useApi()
  const [open, setOpen] = useState<Open>()
  /** Of the last press. */
  const [failure, setFailure] = useState<Failure>()
  const test = useAct({
    send: client.notifications.testChannel.mutate,
    touches: ['notifications'],
    onFailed: setFailure,
  })
  const turn = useAct({
    send: client.notifications.updateChannel.mutate,
    touches: ['notifications'],
    onFailed: setFailure,
  })
  const sendTest = ({ id }: Channel) => {
    setFailure(undefined)
    test.run({ id })
  }
  const turnOver = ({ id, revision, status }: Channel) => {
    setFailure(undefined)
    turn.run({ id, expectedRevision: revision, status: status === 'active' ? 'disabled' : 'active' })
  }
  const columns: Column<Channel>[] = [
    {
      key: 'name',
      header: t.channel,
      rowHeader: true,
      cell: ({ name, kind, host }) => (
        <>
          <strong>
            <ShownText>{name}</ShownText>
          </strong>{' '}
          <span className="text-ink-2">
            {kindWords[kind]}, <ShownText>{host}</ShownText>
          </span>
        </>
      ),
    },
    {
      key: 'events',
      header: t.when,
      cell: ({ events }) =>
        events.length > 3 ? t.events({ events: events.length }) : events.map((one) => eventWords[one]).join('; '),
    },
    {
      key: 'status',
      header: t.state,
      cell: ({ status, disabledReason, failing }) => (
        <>
          <StateOf status={status} failing={status === 'active' ? failing : undefined} />
          {disabledReason !== null && <span className="block text-ink-2">{disabledReason}</span>}
        </>
      ),
    },
    {
      key: 'acts',
      header: <span className="sr-only">{t.actions}</span>,
      cell: (channel) => (
        <span className="flex flex-wrap gap-x-3">
          {channel.status === 'active' && (
            <Act label={t.sendTest} name={channel.name} onClick={() => sendTest(channel)} />
          )}
          <Act label={t.openChange} name={channel.name} onClick={() => setOpen({ channel, what: 'edit' })} />
          {channel.kind === 'webhook' && (
            <Act label={t.newSecret} name={channel.name} onClick={() => setOpen({ channel, what: 'secret' })} />
          )}
          <Act
            label={channel.status === 'active' ? t.turnOff : t.turnOn}
            name={channel.name}
            onClick={() => turnOver(channel)}
          />
          <Act label={t.openRemove} name={channel.name} onClick={() => setOpen({ channel, what: 'remove' })} />
        </span>
      ),
    },
  ]
  return (
    <>
      <DataTable caption={t.channels} columns={columns} rows={channels} rowKey={({ id }) => id} />
      {failure !== undefined && <NotDone failure={failure} title={t.changeWasNotMade} ifUnknown={t.listShowsWhatIs} />}
      {open?.what === 'edit' && <EditChannel channel={open.channel} onClose={() => setOpen(undefined)} />}
      {open?.what === 'secret' && <RotateSecret channel={open.channel} onClose={() => setOpen(undefined)} />}
      {open?.what === 'remove' && <RemoveChannel channel={open.channel} onClose={() => setOpen(undefined)} />}
    </>
  )
}

/** `failing`: unknown from a server of the version before. */
function StateOf({ status, failing }: Pick<Channel, 'status' | 'failing'>) {
  if (status === 'disabled') return <StatusShape status="revoked" label={t.turnedOff} />
  if (failing === null || failing === undefined) return <StatusShape status="approved" label={t.active} />
  const { messages, since, error } = failing
  return (
    <>
      <StatusShape status="failed" label={t.doesNotDeliver} />
      <span className="block text-ink-2">
        {t.lastMessagesFailed({ messages, at: () => <Time at={since} show="clock" /> })}{' '}
        {error !== null && <ShownText>{error}</ShownText>}
      </span>
    </>
  )
}

function Act({ label, name, onClick }: { label: string; name: string; onClick: () => void }) {
  return (
    <Button variant="quiet" onClick={onClick}>
      {label}
      <span className="sr-only"> {name}</span>
    </Button>
  )
}

type DialogProps = { channel: Channel; onClose: () => void }

function RotateSecret({ channel: { id, name, revision }, onClose }: DialogProps) {
  const { client } = useApi()
  const act = useAct({ send: client.notifications.rotateSecret.mutate, touches: ['notifications'] })
  if (act.output !== undefined) return <NewSecret secret={act.output.secret} onClose={onClose} />
  return (
    <ActDialog
      title={t.makeNewSecretFor({ name })}
      description={t.messagesAreSignedWith}
      label={t.makeNewSecret}
      busyLabel={t.makingSecret}
      act={act}
      onRun={() => act.run({ id, expectedRevision: revision })}
      onClose={onClose}
    />
  )
}

function RemoveChannel({ channel: { id, name }, onClose }: DialogProps) {
  const { client } = useApi()
  const [reason, setReason] = useState('')
  const act = useAct({ send: client.notifications.removeChannel.mutate, touches: ['notifications'], onDone: onClose })
  return (
    <ActDialog
      title={t.removeNamed({ name })}
      description={t.whatWaitsToBe}
      label={t.removeChannel}
      busyLabel={t.removingChannel}
      missing={whyNotReason(reason) === undefined ? undefined : t.giveReason}
      act={act}
      onRun={() => act.run({ id, reason })}
      onClose={onClose}
    >
      <TextArea
        label={t.reason}
        hint={t.storedInAuditRecord}
        limit={limits.reason}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
    </ActDialog>
  )
}
