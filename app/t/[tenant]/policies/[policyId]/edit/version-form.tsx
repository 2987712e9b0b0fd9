'use client'

import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { CodeEditor } from '#components/code/code-editor.tsx'
import type { CodeProblem } from '#components/code/code-problem.ts'
import { type Kept, KeptDraft } from '#components/forms/kept-draft.tsx'
import { NotDone } from '#components/forms/not-done.tsx'
import { RestoredDraft } from '#components/forms/restored-draft.tsx'
import { TextPreview } from '#components/policies/text-preview.tsx'
import { policyProblems, usePolicyCheck } from '#components/policies/use-policy-check.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/policy/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import type { Failure } from '#lib/failure.ts'
import { policyPath } from '#lib/paths.ts'
import type { PolicyVersion } from '#lib/schemas/policies.ts'

const NO_EXAMPLES = [] as const

type VersionFormProps = { policyId: string; base: PolicyVersion | undefined }

/** The form for the next draft. The server parses and type-checks the text, and each error is marked at its line. */
export function VersionForm({ policyId, base: newest }: VersionFormProps) {
  // A version that someone else stores in the meantime does not replace what the person started from.
  const [base] = useState(newest)
  return (
    <KeptDraft form={`version.${policyId}.${base?.version ?? ''}`} initial={{ source: base?.source ?? '' }}>
      {(kept) => <Form policyId={policyId} base={base} kept={kept} />}
    </KeptDraft>
  )
}

function Form({ policyId, base, kept }: VersionFormProps & { kept: Kept<{ source: string }> }) {
  const { tenant } = useSession()
  const { rest } = useApi()
  const router = useRouter()
  const { source } = kept.draft
  // The problems are shown until the text that caused them changes.
  const [refused, setRefused] = useState<{ source: string; failure: Failure; problems: CodeProblem[] | undefined }>()
  const send = kept.sending(rest.policies.createVersion)
  const save = useAct({
    send,
    touches: ['policies'],
    onFailed: (failure, { source: text }) => setRefused({ source: text, failure, problems: policyProblems(failure) }),
    onDone: ({ version }) => router.push(policyPath(tenant, policyId, { version })),
  })
  const current = refused?.source === source ? refused : undefined
  const busy = save.pending || save.output !== undefined

  function submit(event: FormEvent) {
    event.preventDefault()
    if (missing !== undefined || busy) return
    save.run({ policyId, source })
  }

  const { problems, note, blocked } = usePolicyCheck(source, current?.problems)
  const missing =
    source.trim() === ''
      ? t.writePolicyFirst
      : source === base?.source
        ? t.textIsIdenticalTo({ version: base.version })
        : blocked
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-5">
      <RestoredDraft of={kept} locked={busy} />
      <div className="grid grid-cols-1 items-start gap-x-8 gap-y-5 wide:grid-cols-2">
        <CodeEditor
          label={t.policyCedar}
          language="cedar"
          hint={base === undefined ? t.storedAsDraftWhich : t.startsFromVersionStored({ version: base.version })}
          value={source}
          onChange={(text) => kept.change({ source: text })}
          rows={26}
          problems={problems}
          note={note}
          jumpTo={current?.problems?.[0]}
          readOnly={busy}
        />
        <div className="flex min-w-0 flex-col gap-5">
          <TextPreview source={source} examples={NO_EXAMPLES} />
        </div>
      </div>
      {current && current.problems === undefined && (
        <NotDone failure={current.failure} title={t.draftWasNotStored} ifUnknown={t.storeIt} />
      )}
      <div>
        <Button type="submit" variant="primary" disabledReason={missing} busyLabel={busy ? t.storingDraft : undefined}>
          {t.storeAsDraft}
        </Button>
      </div>
    </form>
  )
}
