'use client'

import { useRouter } from 'next/navigation'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import type { Days } from '#components/forms/days.ts'
import { justificationHint, whyNotJustification } from '#components/forms/justification-rule.ts'
import { NotDone } from '#components/forms/not-done.tsx'
import { useRefusals } from '#components/forms/use-refusals.ts'
import { useStanding } from '#components/forms/use-standing.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/evidence/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { TextArea, TextField } from '#components/ui/controls/text-field.tsx'
import { limits } from '#lib/limits.ts'
import { evidenceExportPath } from '#lib/paths.ts'
import type { ExportJob, ExportScope } from '#lib/schemas/evidence.ts'
import { type Preset, type Range, rangeOf } from './range.ts'
import { RangeFields } from './range-fields.tsx'
import { Review } from './review.tsx'
import { choiceOf, type ScopeChoice, ScopeFields, scopeOf } from './scope-fields.tsx'

type Body = Range & {
  includeProofs: boolean
  includeRawPayloads: boolean
  scope?: ExportScope
  purpose?: string
  justification?: string
}

const mostPurpose = limits.purpose.max

/** Three numbered parts on one page, which begin with the choices of `like`. The last one shows what was chosen, and how large the archive will be. */
export function ExportForm({ like }: { like?: ExportJob }) {
  const { tenant, can } = useSession()
  const { rest } = useApi()
  const router = useRouter()
  const same = like && { startDate: like.startDate, endDate: like.endDate }
  const [preset, setPreset] = useState<Preset>(like === undefined ? 'today' : 'same')
  const [custom, setCustom] = useState<Days>({ first: '', last: '' })
  const [proofs, setProofs] = useState(like?.includeProofs ?? true)
  const [raw, setRaw] = useState(like?.includeRawPayloads === true && can('evidence:raw'))
  const [about, setAbout] = useState<ScopeChoice>(choiceOf(like?.scope ?? null))
  const [purpose, setPurpose] = useState(like?.purpose ?? '')
  const [why, setWhy] = useState('')
  const { form, tried, refuse } = useRefusals()
  const [now] = useState(Date.now)
  const create = useAct({
    send: rest.evidence.create,
    touches: ['evidence'],
    onDone: ({ exportId }) => router.push(evidenceExportPath(tenant, exportId)),
  })
  const [failure, withdraw] = useStanding(create.failure)
  const range = rangeOf(preset, { custom, same, now })
  const missing = raw ? whyNotJustification(why) : undefined
  const scope = scopeOf(about)
  const isChosen = custom.first !== '' && custom.last !== ''

  function submit(event: FormEvent) {
    event.preventDefault()
    if (create.pending) return
    if ('field' in range || scope === 'missing' || missing !== undefined || purpose.trim().length > mostPurpose)
      return refuse()
    const body: Body = {
      ...range,
      includeProofs: proofs,
      includeRawPayloads: raw,
      ...(scope === undefined ? {} : { scope }),
      ...(purpose.trim() === '' ? {} : { purpose: purpose.trim() }),
      ...(raw ? { justification: why.trim() } : {}),
    }
    create.run(body)
  }

  const busy = create.pending || create.output !== undefined
  return (
    <form ref={form} onSubmit={submit} onInput={withdraw} noValidate className="flex max-w-160 flex-col gap-8">
      <Part number={1} title={t.range}>
        <RangeFields
          preset={preset}
          onPreset={setPreset}
          same={same}
          custom={custom}
          onCustom={setCustom}
          problem={tried && 'field' in range ? range : undefined}
          locked={busy}
        />
      </Part>
      <Part number={2} title={t.contents}>
        <ScopeFields choice={about} onChange={setAbout} problem={tried && scope === 'missing'} locked={busy} />
        <TextField
          label={t.forWhomOrWhat}
          hint={t.writtenIntoArchiveSuch}
          error={purpose.trim().length > mostPurpose ? t.atMostCharacters({ mostPurpose }) : undefined}
          value={purpose}
          onChange={(event) => setPurpose(event.target.value)}
          readOnly={busy}
        />
        <Checkbox label={t.proofsSignedCheckpointsAnd} checked={proofs} onChange={setProofs} locked={busy} />
        <Checkbox
          label={t.rawPayloadsUnmaskedInputs}
          checked={raw}
          onChange={setRaw}
          disabledReason={can('evidence:raw') ? undefined : whoCan('evidence:raw')}
          locked={busy}
        />
        {raw && (
          <TextArea
            label={t.whyAreSensitiveValues}
            hint={t.recordedInAuditLog({ justificationHint: justificationHint() })}
            error={tried ? missing : undefined}
            value={why}
            limit={limits.justification.max}
            onChange={(event) => setWhy(event.target.value)}
            aria-required
          />
        )}
      </Part>
      <Part number={3} title={t.review}>
        {'field' in range || scope === 'missing' ? (
          <p>{'field' in range ? (isChosen && !tried ? range.message : t.chooseRangeFirst) : t.chooseWhatArchiveIs}</p>
        ) : (
          <Review range={range} scope={scope} purpose={purpose.trim()} proofs={proofs} raw={raw} now={now} />
        )}
        {failure !== undefined && (
          <NotDone failure={failure} title={t.exportWasNotStarted} ifUnknown={t.sendItAgainSame} />
        )}
        <div>
          <Button type="submit" variant="primary" busyLabel={busy ? t.requestingExport : undefined}>
            {t.exportEvidence}
          </Button>
        </div>
      </Part>
    </form>
  )
}

function Part({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3 border-line border-t pt-4">
      <h2 id={id}>
        {number}. {title}
      </h2>
      {children}
    </section>
  )
}
