'use client'

import { useApi } from '#components/api/api.tsx'
import { type ActRun, useAct } from '#components/api/use-act.ts'
import { ActFailed } from '#components/forms/act-failed.tsx'
import { type Kept, KeptDraft } from '#components/forms/kept-draft.tsx'
import { RestoredDraft } from '#components/forms/restored-draft.tsx'
import { useStanding } from '#components/forms/use-standing.ts'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { PendingSettings } from '#components/settings/pending-settings.tsx'
import * as t from '#components/texts/settings-tenant/en.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { providerSettings, splitSettings } from '#lib/rules/settings.ts'
import type { TenantSettings } from '#lib/schemas/tenants.ts'
import type { Answers, Inputs } from '#lib/trpc.ts'
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

/** `wanted`: the settings as JSON. */
type RulesDraft = { wanted: string; reason: string }

/** The form for the rules of the tenant. A stricter rule applies immediately; a weaker rule requires approval. */
export function RulesForm(props: RulesFormProps) {
  const settings = JSON.stringify(props.settings)
  // A draft is of the rules that it starts from: it must not undo what someone else has changed since.
  return (
    <KeptDraft form={`rules.${settings}`} initial={{ wanted: settings, reason: '' }}>
      {(kept) => <Form {...props} kept={kept} />}
    </KeptDraft>
  )
}

function Form({ settings, revision, pending, issuers, kept }: RulesFormProps & { kept: Kept<RulesDraft> }) {
  const { client } = useApi()
  const { can } = useSession()
  const notice = useNotice()
  const { reason } = kept.draft
  const wanted: TenantSettings = JSON.parse(kept.draft.wanted)
  const { immediate, proposed } = splitSettings(settings, wanted)
  const send = kept.sending((input: Inputs['tenants']['updateSettings'], options: ActRun) =>
    client.tenants.updateSettings.mutate(input, options),
  )
  const act = useAct({
    send,
    touches: ['tenants', 'approvals'],
    onDone: (output) => {
      kept.change({ wanted: JSON.stringify(output.settings), reason: '' })
      notice(output.change === null ? t.rulesWereSet : t.approvalOfChangeWas)
    },
  })
  const [failure, withdraw] = useStanding(act.failure)
  const change = (next: TenantSettings) => {
    kept.change({ wanted: JSON.stringify(next) })
    withdraw()
  }
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
      onInput={withdraw}
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault()
      }}
    >
      <RestoredDraft of={kept} locked={act.pending} />
      {pending !== null && <PendingSettings pending={pending} />}
      <RuleFields settings={wanted} onChange={change} locked={locked} />
      {issuers.length > 0 && <ProviderFields settings={wanted} onChange={change} issuers={issuers} locked={locked} />}
      {changed.length > 0 && <WhatChanges immediate={immediate} proposed={proposed} />}
      {changed.length > 0 && (
        <TextField
          label={t.reasonOptional}
          hint={proposed.length === 0 ? t.storedInAuditRecord : t.shownToApprover}
          value={reason}
          onChange={(event) => kept.change({ reason: event.target.value })}
          readOnly={act.pending}
        />
      )}
      {failure !== undefined && <ActFailed failure={failure} />}
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
