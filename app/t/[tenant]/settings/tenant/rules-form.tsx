'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActFailed } from '#components/forms/act-failed.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { PendingSettings } from '#components/settings/pending-settings.tsx'
import * as t from '#components/texts/settings-tenant/en.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { providerSettings, splitSettings } from '#lib/rules/settings.ts'
import type { TenantSettings } from '#lib/schemas/tenants.ts'
import type { Answers } from '#lib/trpc.ts'
import { ProviderFields } from './provider-fields.tsx'
import { RuleFields } from './rule-fields.tsx'
import { WhatChanges } from './what-changes.tsx'

type RulesFormProps = {
  settings: TenantSettings
  revision: number
  pending: Answers['tenants']['getSettings']['pending']
  /** The external identity providers of the tenant; without one, what concerns them is not shown. */
  issuers: readonly string[]
}

/** The form for the rules of the tenant. A stricter rule applies immediately; a weaker rule requires approval. */
export function RulesForm({ settings, revision, pending, issuers }: RulesFormProps) {
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
      notice(output.change === null ? t.rulesWereSet : t.approvalOfChangeWas)
    },
  })
  const changed = [...immediate, ...proposed]
  const weaker = proposed.some(({ name }) => !providerSettings.includes(name))
  const missing =
    changed.length === 0
      ? t.youHaventChangedAnything
      : proposed.length > 0 && pending !== null
        ? t.anotherChangeIsAlready
        : whyNotNames(wanted)
  const locked = act.pending || !can('tenant:manage')
  return (
    <form
      noValidate
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault()
      }}
    >
      {pending !== null && <PendingSettings pending={pending} />}
      <RuleFields settings={wanted} onChange={setWanted} locked={locked} />
      {issuers.length > 0 && (
        <ProviderFields settings={wanted} onChange={setWanted} issuers={issuers} locked={locked} />
      )}
      {changed.length > 0 && <WhatChanges immediate={immediate} proposed={proposed} />}
      {changed.length > 0 && (
        <TextField
          label={t.reasonOptional}
          hint={proposed.length === 0 ? t.storedInAuditRecord : t.shownToApprover}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          readOnly={act.pending}
        />
      )}
      {act.failure !== undefined && <ActFailed failure={act.failure} />}
      <div>
        <ActionButton
          permission="tenant:manage"
          variant="primary"
          busyLabel={act.pending ? t.settingRules : undefined}
          disabledReason={missing}
          onClick={() =>
            act.run({
              expectedRevision: revision,
              ...Object.fromEntries(changed.map(({ name, after }) => [name, after])),
              ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
            })
          }
        >
          {labelOf(immediate.length > 0, proposed.length > 0, weaker)}
        </ActionButton>
      </div>
    </form>
  )
}

/** The server refuses empty names and claims, too; here the reason is next to the button. */
function whyNotNames({ roleClaim, groupClaim, roleMapping }: TenantSettings): string | undefined {
  if (roleClaim.trim() === '' || groupClaim.trim() === '') return t.enterClaimsOfIdentity
  if (roleMapping.some(({ name }) => name.trim() === '')) return t.enterNameInEach
}

function labelOf(sets: boolean, asks: boolean, weaker: boolean): string {
  if (!asks) return t.setRules
  if (!weaker) return sets ? t.setStricterRulesAnd : t.requestChange
  return sets ? t.setThe : t.requestWeakerRules
}
