'use client'

import { useRouter } from 'next/navigation'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { formatPeriod } from '#components/evidence/period.ts'
import type { Days } from '#components/forms/days.ts'
import { NotDone } from '#components/forms/not-done.tsx'
import { whoCan } from '#components/navigation/action-link.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { TextArea } from '#components/ui/controls/text-field.tsx'
import { limits } from '#lib/limits.ts'
import { evidenceExportPath } from '#lib/paths.ts'
import { type Preset, type Range, rangeOf, touchesToday } from './range.ts'
import { RangeFields } from './range-fields.tsx'

type Body = Range & { includeProofs: boolean; includeRawPayloads: boolean; justification?: string }

/** Three numbered parts on one page. The last one summarises the export in a sentence. */
export function ExportForm() {
  const { tenant, can } = useSession()
  const { rest } = useApi()
  const router = useRouter()
  const [preset, setPreset] = useState<Preset>('today')
  const [custom, setCustom] = useState<Days>({ first: '', last: '' })
  const [proofs, setProofs] = useState(true)
  const [raw, setRaw] = useState(false)
  const [why, setWhy] = useState('')
  const [tried, setTried] = useState(false)
  const [now] = useState(Date.now)
  const create = useAct({
    send: rest.evidence.create,
    touches: ['evidence'],
    onDone: ({ exportId }) => router.push(evidenceExportPath(tenant, exportId)),
  })
  const range = rangeOf(preset, custom, now)
  const tooShort = raw && why.trim().length < limits.exportJustification.min

  function submit(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    if ('field' in range || tooShort || create.pending) return
    const body: Body = {
      ...range,
      includeProofs: proofs,
      includeRawPayloads: raw,
      ...(raw ? { justification: why.trim() } : {}),
    }
    create.run(body)
  }

  const busy = create.pending || create.output !== undefined
  return (
    <form onSubmit={submit} noValidate className="flex max-w-160 flex-col gap-8">
      <Part number={1} title="Range">
        <RangeFields
          preset={preset}
          onPreset={setPreset}
          custom={custom}
          onCustom={setCustom}
          problem={tried && 'field' in range ? range : undefined}
          locked={busy}
        />
      </Part>
      <Part number={2} title="Contents">
        <Checkbox
          label="Proofs: signed checkpoints and the hashes of every record, so that anyone can verify the archive"
          checked={proofs}
          onChange={setProofs}
          locked={busy}
        />
        <Checkbox
          label="Raw payloads: unmasked inputs and outputs of tools, including sensitive values"
          checked={raw}
          onChange={setRaw}
          disabledReason={can('evidence:raw') ? undefined : whoCan('evidence:raw')}
          locked={busy}
        />
        {raw && (
          <TextArea
            label="Why are sensitive values needed?"
            hint={`At least ${limits.exportJustification.min} characters. Recorded in the audit log with your name.`}
            error={
              tried && tooShort ? `Enter a reason of at least ${limits.exportJustification.min} characters.` : undefined
            }
            value={why}
            limit={limits.exportJustification.max}
            onChange={(event) => setWhy(event.target.value)}
            aria-required
          />
        )}
      </Part>
      <Part number={3} title="Review">
        <p>
          {'field' in range ? (
            'Choose the range first.'
          ) : (
            <>
              An archive of <strong className="font-semibold">{formatPeriod(range)}</strong> will be created and signed:
              agents, releases, policies, executions, approvals, decisions, traces and the audit log,{' '}
              {proofs ? 'with proofs' : 'without proofs'} and with sensitive values {raw ? 'unmasked' : 'masked'}.
              {touchesToday(range, now) && ' It contains today’s records up to the time of the export.'}{' '}
              {raw
                ? 'Members who may read evidence and raw payloads can download it.'
                : 'Members who may read evidence can download it.'}{' '}
              The export is recorded in the audit log.
            </>
          )}
        </p>
        {create.failure !== undefined && (
          <NotDone
            failure={create.failure}
            what="The export"
            done="started"
            ifUnknown="Send it again. The same request creates at most one export."
          />
        )}
        <div>
          <Button type="submit" variant="primary" busyLabel={busy ? 'Requesting the export…' : undefined}>
            Export the evidence
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
