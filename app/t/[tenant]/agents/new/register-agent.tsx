'use client'

import { useSearchParams } from 'next/navigation'
import { type FormEvent, useCallback, useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { CodeEditor } from '#components/code/code-editor.tsx'
import type { CodeProblem } from '#components/code/code-problem.ts'
import { useChecked } from '#components/code/use-checked.ts'
import { type Kept, KeptDraft } from '#components/forms/kept-draft.tsx'
import { NotDone } from '#components/forms/not-done.tsx'
import { RestoredDraft } from '#components/forms/restored-draft.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/agent/en.ts'
import { isNew } from '#components/texts/page/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import type { Issue } from '#lib/errors.ts'
import type { Failure } from '#lib/failure.ts'
import { agentsPath } from '#lib/paths.ts'
import { Registered } from './registered.tsx'

/** Registers an agent, or another version of one, from its manifest. */
export function RegisterAgent() {
  const { tenant } = useSession()
  return (
    <Permitted permission="agent:create" act={t.registerAgents} title={t.registerAgent}>
      <Page>
        <PageHeader title={t.registerAgent} crumbs={[{ label: t.agents, href: agentsPath(tenant) }]} id={isNew} />
        <NewManifest />
      </Page>
    </Permitted>
  )
}

function NewManifest() {
  const name = useSearchParams().get('name')
  return (
    <KeptDraft form={`manifest.${name ?? ''}`} initial={{ yaml: name === null ? '' : manifestFor(name) }}>
      {(kept) => <ManifestForm kept={kept} />}
    </KeptDraft>
  )
}

function ManifestForm({ kept }: { kept: Kept<{ yaml: string }> }) {
  const { client } = useApi()
  const { yaml } = kept.draft
  // The problem is shown until the text that caused it changes.
  const [refused, setRefused] = useState<{ yaml: string; failure: Failure; problems: CodeProblem[] | undefined }>()
  const send = kept.sending(client.agents.create.mutate)
  const register = useAct({
    send,
    touches: ['agents'],
    onFailed: (failure, sent) => setRefused({ yaml: sent.yaml, failure, problems: problemsOf(failure) }),
    onDone: () => setRefused(undefined),
  })
  const current = refused?.yaml === yaml ? refused : undefined
  const { problems, note, blocked } = useManifestCheck(yaml, current?.problems)
  const missing = yaml.trim() === '' ? t.pasteOrWriteManifest : blocked

  function submit(event: FormEvent) {
    event.preventDefault()
    if (missing === undefined && !register.pending) register.run({ yaml })
  }

  if (register.output !== undefined) return <Registered answer={register.output} again={register.reset} />
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-5">
      <RestoredDraft of={kept} locked={register.pending} />
      <CodeEditor
        label={t.manifestYaml}
        language="yaml"
        hint={t.giveManifestNameIf}
        value={yaml}
        onChange={(text) => kept.change({ yaml: text })}
        rows={22}
        problems={problems}
        note={note}
        jumpTo={current?.problems?.[0]}
        readOnly={register.pending}
      />
      {current && current.problems === undefined && (
        <NotDone
          failure={current.failure}
          title={t.agentWasNotRegistered}
          ifUnknown={t.registerItAgainSame}
          advice={current.failure.code === 'version_conflict' ? t.changeVersionOfManifest : undefined}
        />
      )}
      <div>
        <Button
          type="submit"
          variant="primary"
          disabledReason={missing}
          busyLabel={register.pending ? t.registeringAgent : undefined}
        >
          {t.registerThe}
        </Button>
      </div>
    </form>
  )
}

/** Returns the initial manifest for an agent that telemetry has named. A JSON string is also valid YAML. */
const manifestFor = (name: string): string => `apiVersion: governance/v1
kind: Agent
metadata:
  name: ${JSON.stringify(name)}
spec:
  # An external agent sends telemetry and requests a decision of policies.evaluate before each call.
  runtime:
    observe: {}
`

/** Checks the manifest as it is typed. Problems block the registration; warnings are members without effect. */
function useManifestCheck(text: string, refused: readonly CodeProblem[] | undefined) {
  const { client } = useApi()
  const check = useCallback(
    async (yaml: string, signal: AbortSignal): Promise<CodeProblem[]> => {
      const answer = await client.agents.check.query({ yaml }, { signal, context: { posted: true } })
      const warnings = answer.warnings.map((issue) => ({ ...problemOf(issue), severity: 'warning' as const }))
      return [...answer.problems.map(problemOf), ...warnings]
    },
    [client],
  )
  return useChecked({ what: 'manifest', text, check, refused })
}

/** Returns the problems that the server found in the manifest, or undefined for other failures. */
function problemsOf({ code, message, issues }: Failure): CodeProblem[] | undefined {
  if (code !== 'invalid_manifest') return undefined
  return issues.length === 0 ? [{ message }] : issues.map(problemOf)
}

/** Returns the problem with its position. The message starts with the path if the line is unknown. */
function problemOf({ path, message, line, column }: Issue): CodeProblem {
  return line === undefined ? { message: `${path}: ${message}` } : { message, line, column }
}
