'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ProposeDialog } from '#components/forms/propose-dialog.tsx'
import { whyNotReason } from '#components/forms/reason-rule.ts'
import { SelectField } from '#components/forms/select-field.tsx'
import { formatNumber } from '#components/language/formats.ts'
import * as t from '#components/texts/approval-grant/en.ts'
import { TextArea, TextField } from '#components/ui/controls/text-field.tsx'
import { limits } from '#lib/limits.ts'
import type { Answers } from '#lib/trpc.ts'
import { ArgumentRule } from './argument-rule.tsx'
import { Simulated } from './simulated.tsx'
import { type Draft, draftOf, lasting, termsOf } from './terms.ts'

type Preview = Answers['approvals']['previewGrant']

type ProposalProps = {
  approvalId: string
  group: string
  preview: Preview
  /** Why it can’t be proposed now. */
  blocked: string | undefined
}

/** The terms of a standing grant, from those of a call that was approved. */
export function Proposal({ approvalId, group, preview, blocked }: ProposalProps) {
  const { client } = useApi()
  const [draft, setDraft] = useState<Draft>(() => draftOf(preview))
  const [reason, setReason] = useState('')
  const [valid, setValid] = useState(false)
  const propose = useAct({ send: client.approvals.proposeGrant.mutate, touches: ['approvals', 'standingGrants'] })
  const terms = termsOf(draft, preview)
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  return (
    <ProposeDialog
      permission="approval:decide"
      label={t.proposeStandingGrant}
      description={t.callsLikeThisOne}
      decides={t.anotherMemberOfDecides({ group })}
      blocked={blocked}
      missing={blocked ?? missing(terms, valid, reason)}
      propose={propose}
      onOpen={() => {
        // Another proposal starts afresh.
        if (propose.output === undefined) return
        setDraft(draftOf(preview))
        setReason('')
      }}
      onPropose={() => terms !== undefined && propose.run({ approvalId, terms, reason })}
    >
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-1 font-semibold">{t.conditionsForEachArgument}</legend>
        {preview.arguments.map((argument) => (
          <ArgumentRule
            key={argument.argument}
            argument={argument}
            currency={argument.argument === preview.amount?.argument ? preview.amount.currency : undefined}
            rule={draft.rules[argument.argument]}
            onChange={(rule) => change({ rules: { ...draft.rules, [argument.argument]: rule } })}
          />
        ))}
      </fieldset>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
        {preview.amount !== null && (
          <TextField
            label={t.inTotal({ currency: preview.amount.currency })}
            inputMode="decimal"
            value={draft.total}
            onChange={({ target }) => change({ total: target.value })}
          />
        )}
        <TextField
          label={t.calls}
          inputMode="numeric"
          hint={t.atMost({ most: formatNumber(limits.grantUses) })}
          value={draft.uses}
          onChange={({ target }) => change({ uses: target.value })}
        />
        <SelectField
          label={t.endsAfter}
          value={draft.days}
          onChange={(days) => change({ days })}
          options={lasting}
          placeholder=""
        />
      </div>
      <Simulated approvalId={approvalId} terms={terms} onResult={setValid} />
      <TextArea
        label={t.reason}
        hint={t.secondPersonReadsIt}
        limit={limits.reason}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
    </ProposeDialog>
  )
}

function missing(terms: unknown, valid: boolean, reason: string): string | undefined {
  if (terms === undefined) return t.fillInEachLimit
  if (!valid) return t.theseTermsCantBe
  return whyNotReason(reason) === undefined ? undefined : t.giveReason
}
