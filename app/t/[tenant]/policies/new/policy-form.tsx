'use client'

import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { CodeEditor } from '#components/code/code-editor.tsx'
import type { CodeProblem } from '#components/code/code-problem.ts'
import { type Kept, KeptDraft } from '#components/forms/kept-draft.tsx'
import { whyNotName } from '#components/forms/name-rule.ts'
import { NotDone } from '#components/forms/not-done.tsx'
import { RestoredDraft } from '#components/forms/restored-draft.tsx'
import { type Example, TextPreview } from '#components/policies/text-preview.tsx'
import { policyProblems, usePolicyCheck } from '#components/policies/use-policy-check.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/policy/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import type { Failure } from '#lib/failure.ts'
import { limits } from '#lib/limits.ts'
import { policyPath } from '#lib/paths.ts'
import type { PolicyTemplate, TemplateNames } from '#lib/policy-gallery/template.ts'
import { FIRST_TEXT } from './first-text.ts'
import { isToolName, TemplateNameFields } from './template-names.tsx'

type Content = { name: string; description: string; source: string }
type Refusal = { body: Content; failure: Failure; problems: CodeProblem[] | undefined }

type PolicyFormProps = { template: PolicyTemplate | undefined }

/** The form for the name, purpose and text. It opens the policy after the server has stored them. */
export function PolicyForm({ template }: PolicyFormProps) {
  return (
    <KeptDraft form={`policy.${template?.key ?? ''}`} initial={firstContent(template)}>
      {(kept) => <Form template={template} kept={kept} />}
    </KeptDraft>
  )
}

function Form({ template, kept }: PolicyFormProps & { kept: Kept<Content & TemplateNames> }) {
  const { tenant } = useSession()
  const { rest } = useApi()
  const router = useRouter()
  const { name, description, source, ...names } = kept.draft
  const [refusal, setRefusal] = useState<Refusal>()
  const send = kept.sending(rest.policies.create)
  const create = useAct({
    send,
    touches: ['policies'],
    onFailed: (failure, body) => setRefusal({ body, failure, problems: policyProblems(failure) }),
    onDone: ({ id }) => router.push(policyPath(tenant, id)),
  })
  // A refusal of a text or a name is shown until that value changes.
  const refused = refusal?.body.source === source ? refusal.problems : undefined
  const taken = refusal?.failure.code === 'name_conflict' && refusal.body.name === name
  const { problems, note, blocked } = usePolicyCheck(source, refused)
  const badName = taken ? t.policyNamedAlreadyExists({ name }) : whyNotName(name, 'policy')
  const missing =
    badName ??
    (description.length > limits.policyDescription
      ? t.purposeCanHaveAt({ policyDescription: limits.policyDescription })
      : undefined) ??
    (source.trim() === '' ? t.writeRuleFirst : blocked)
  const busy = create.pending || create.output !== undefined
  const body = { name, description: description.trim(), source }
  const same = JSON.stringify(body)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (missing !== undefined || busy) return
    create.run(body)
  }

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-5">
      <RestoredDraft of={kept} locked={busy} />
      <div className="grid max-w-240 grid-cols-1 gap-4 narrow:grid-cols-2">
        <TextField
          label={t.name}
          hint={t.lowerCaseLettersDigits}
          value={name}
          readOnly={busy}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => kept.change({ name: event.target.value })}
          error={name === '' ? undefined : badName}
        />
        <TextField
          label={t.purpose}
          hint={t.optionalShownInLists}
          value={description}
          readOnly={busy}
          onChange={(event) => kept.change({ description: event.target.value })}
          error={
            description.length > limits.policyDescription
              ? t.charactersTooLong({ over: description.length - limits.policyDescription })
              : undefined
          }
        />
      </div>
      {template !== undefined && (
        <TemplateNameFields
          template={template}
          names={names}
          edited={source !== template.source(names)}
          locked={busy}
          onChange={(next) => kept.change({ ...next, source: template.source(next) })}
        />
      )}
      <div className="grid grid-cols-1 items-start gap-x-8 gap-y-5 wide:grid-cols-2">
        <CodeEditor
          label={t.policyCedar}
          language="cedar"
          hint={t.firstVersionOfPolicy}
          value={source}
          onChange={(next) => kept.change({ source: next })}
          problems={problems}
          note={note}
          jumpTo={refused?.[0]}
          rows={24}
          readOnly={busy}
        />
        <div className="flex min-w-0 flex-col gap-5">
          <TextPreview source={source} examples={examplesOf(template, names)} />
        </div>
      </div>
      {refusal && refused === undefined && !taken && JSON.stringify(refusal.body) === same && (
        <NotDone failure={refusal.failure} title={t.policyWasNotStored} ifUnknown={t.storeItAgainSame} />
      )}
      <div>
        <Button type="submit" variant="primary" disabledReason={missing} busyLabel={busy ? t.storingPolicy : undefined}>
          {t.storePolicy}
        </Button>
      </div>
    </form>
  )
}

const firstContent = (template: PolicyTemplate | undefined): Content & TemplateNames =>
  template === undefined
    ? { name: '', description: '', source: FIRST_TEXT, tool: '', group: '' }
    : {
        name: template.name,
        description: template.purpose,
        source: template.source(template.names),
        ...template.names,
      }

/** The template's calls under the chosen name of the tool. Without a usable name there are none. */
const examplesOf = (template: PolicyTemplate | undefined, { tool }: TemplateNames): Example[] =>
  template === undefined || !isToolName(tool)
    ? []
    : template.examples.map((example) => ({
        ...example,
        tool,
        sideEffect: template.sideEffect,
        inputSchema: template.inputSchema,
      }))
