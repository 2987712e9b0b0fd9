'use client'

import Link from 'next/link'
import { type FormEvent, useId, useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { justificationHint, whyNotJustification } from '#components/forms/justification-rule.ts'
import { NotDone } from '#components/forms/not-done.tsx'
import { useRefusals } from '#components/forms/use-refusals.ts'
import { useStanding } from '#components/forms/use-standing.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/trace-detail/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { TextArea, TextField } from '#components/ui/controls/text-field.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { limits } from '#lib/limits.ts'
import { approvalPath } from '#lib/paths.ts'
import { isVisible } from '#lib/text/visible-text.ts'
import type { Reveal } from './use-reveal.ts'

type RevealDialogProps = {
  traceId: string
  /** Keys of the selected span's masked attributes. */
  fields: readonly string[]
  open: boolean
  onOpenChange: (open: boolean) => void
  onGranted: (reveal: Reveal) => void
}

/** Requests a grant to see masked values. Purpose and justification are stored with the grant and shown to everyone who can read the trace. */
export function RevealDialog({ traceId, fields, open, onOpenChange, onGranted }: RevealDialogProps) {
  const { tenant } = useSession()
  const id = useId()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [whole, setWhole] = useState(false)
  const [purpose, setPurpose] = useState('')
  const [justification, setJustification] = useState('')
  const { form, tried, refuse } = useRefusals()
  const ask = useAct({
    send: useApi().client.traces.unmask.mutate,
    touches: [],
    onDone({ grantId, status, expiresAt }) {
      if (status !== 'active' || expiresAt === null) return
      onGranted({ grantId, until: Date.parse(expiresAt) })
      onOpenChange(false)
    },
  })
  const waiting = ask.output?.status === 'pending' ? ask.output : undefined
  const missing = {
    fields: !whole && chosen.size === 0 ? t.chooseAtLeastOne : undefined,
    purpose: purpose.trim().length < limits.purpose.min || !isVisible(purpose) ? t.enterPurpose : undefined,
    justification: whyNotJustification(justification),
  }
  function send(event: FormEvent) {
    event.preventDefault()
    if (ask.pending) return
    if (Object.values(missing).some((one) => one !== undefined)) return refuse()
    ask.run({
      traceId,
      ...(whole ? {} : { fields: [...chosen] }),
      purpose: purpose.trim(),
      justification: justification.trim(),
    })
  }
  const [failure, withdraw] = useStanding(ask.failure)
  // The grant is recorded: its outcome must be seen.
  const change = (next: boolean) => {
    if (!ask.pending) onOpenChange(next)
  }
  const toggle = (key: string, on: boolean) => {
    const next = new Set(chosen)
    if (on) next.add(key)
    else next.delete(key)
    setChosen(next)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={t.revealMaskedValues}
      description={t.valuesAreShownFor}
      actions={
        waiting === undefined ? (
          <>
            <Button onClick={() => change(false)}>{t.cancel}</Button>
            <Button variant="primary" type="submit" form={id} busyLabel={ask.pending ? t.requesting : undefined}>
              {t.revealFor15Minutes}
            </Button>
          </>
        ) : (
          <Button onClick={() => onOpenChange(false)}>{t.close}</Button>
        )
      }
    >
      {waiting !== undefined ? (
        <p>
          {t.secondPerson({
            linked: String(waiting.approvalId !== null),
            link: (content) => (
              <Link href={approvalPath(tenant, waiting.approvalId ?? '')} prefetch={false} className="text-link">
                {content}
              </Link>
            ),
          })}
        </p>
      ) : (
        <form ref={form} id={id} onSubmit={send} onInput={withdraw} className="flex flex-col gap-4">
          <fieldset className="flex flex-col gap-1" data-refused={missing.fields !== undefined || undefined}>
            <legend className="pb-1 text-dense text-ink-2">{t.values}</legend>
            {[...new Set(fields)].map((key) => (
              <Checkbox
                key={key}
                label={
                  <span className="wrap-anywhere font-mono text-dense">
                    <ShownText edges>{key}</ShownText>
                  </span>
                }
                checked={whole || chosen.has(key)}
                locked={whole}
                onChange={(on) => toggle(key, on)}
              />
            ))}
            <Checkbox label={t.everyMaskedValueOf} checked={whole} onChange={setWhole} />
            {tried && missing.fields !== undefined && <p className="text-danger">{missing.fields}</p>}
          </fieldset>
          <TextField
            label={t.purpose}
            hint={t.forExampleCustomerComplaint}
            value={purpose}
            onChange={(event) => setPurpose(event.target.value)}
            error={tried ? missing.purpose : undefined}
          />
          <TextArea
            label={t.justification}
            hint={justificationHint()}
            limit={limits.justification.max}
            value={justification}
            onChange={(event) => setJustification(event.target.value)}
            error={tried ? missing.justification : undefined}
          />
          {failure !== undefined && (
            <NotDone failure={failure} title={t.valuesWereNotRevealed} ifUnknown={t.askAgainSame} />
          )}
        </form>
      )}
    </Dialog>
  )
}
