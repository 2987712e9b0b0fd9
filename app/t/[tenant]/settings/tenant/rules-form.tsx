'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActFailed } from '#components/forms/act-failed.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { splitSettings } from '#lib/rules/settings.ts'
import type { TenantSettings } from '#lib/schemas/tenants.ts'
import type { Answers } from '#lib/trpc.ts'
import { PendingSettings } from './pending-settings.tsx'
import { RuleFields } from './rule-fields.tsx'
import { WhatChanges } from './what-changes.tsx'

type RulesFormProps = {
  settings: TenantSettings
  revision: number
  pending: Answers['tenants']['getSettings']['pending']
}

/** The form for the rules of the tenant. A stricter rule applies immediately; a weaker rule requires approval. */
export function RulesForm({ settings, revision, pending }: RulesFormProps) {
  const { client } = useApi()
  const { can } = useSession()
  const notice = useNotice()
  const [wanted, setWanted] = useState(settings)
  const [reason, setReason] = useState('')
  const { immediate, proposed } = splitSettings(settings, wanted)
  const act = useAct({
    send: client.tenants.updateSettings.mutate,
    touches: ['tenants', 'approvals'],
    onDone: (output) => {
      setWanted(output.settings)
      setReason('')
      notice(output.change === null ? 'The rules were set.' : 'Approval of the weaker rules was requested.')
    },
  })
  const changed = [...immediate, ...proposed]
  const missing =
    changed.length === 0
      ? 'You haven’t changed anything yet.'
      : proposed.length > 0 && pending !== null
        ? 'A weaker rule is already waiting for approval. It has to be decided first.'
        : undefined
  return (
    <form
      noValidate
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault()
      }}
    >
      {pending !== null && <PendingSettings pending={pending} />}
      <RuleFields settings={wanted} onChange={setWanted} locked={act.pending || !can('tenant:manage')} />
      {changed.length > 0 && <WhatChanges immediate={immediate} proposed={proposed} />}
      {changed.length > 0 && (
        <TextField
          label="Reason (optional)"
          hint={proposed.length === 0 ? 'Stored in the audit record.' : 'Shown to the approver.'}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          readOnly={act.pending}
        />
      )}
      {act.failure !== undefined && <ActFailed failure={act.failure} done="changed" />}
      <div>
        <ActionButton
          permission="tenant:manage"
          variant="primary"
          busyLabel={act.pending ? 'Setting the rules…' : undefined}
          disabledReason={missing}
          onClick={() =>
            act.run({
              expectedRevision: revision,
              ...Object.fromEntries(changed.map(({ name, after }) => [name, after])),
              ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
            })
          }
        >
          {labelOf(immediate.length > 0, proposed.length > 0)}
        </ActionButton>
      </div>
    </form>
  )
}

function labelOf(sets: boolean, asks: boolean): string {
  if (!asks) return 'Set the rules'
  return sets ? 'Set the stricter rules and request the weaker ones' : 'Request the weaker rules'
}
