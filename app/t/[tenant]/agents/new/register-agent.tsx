'use client'

import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { CodeField, type CodeProblem } from '#components/code/code-field.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/button.tsx'
import { ErrorPanel } from '#components/ui/error-panel.tsx'
import type { Failure } from '#lib/failure.ts'
import { agentsPath } from '#lib/paths.ts'
import { toFailure, useTRPC } from '#lib/trpc.ts'
import { Registered } from './registered.tsx'

/** An agent, or another version of one, from its manifest. */
export function RegisterAgent() {
  const { tenant } = useSession()
  return (
    <Permitted permission="agent:create" act="register agents" title="Register an agent">
      <Page>
        <PageHeader title="Register an agent" crumbs={[{ label: 'Agents', href: agentsPath(tenant) }]} id="New" />
        <ManifestForm />
      </Page>
    </Permitted>
  )
}

function ManifestForm() {
  const trpc = useTRPC()
  const [yaml, setYaml] = useState('')
  // The problem stands as long as the text that caused it.
  const [refused, setRefused] = useState<{ yaml: string; failure: Failure; problem: CodeProblem | undefined }>()
  const register = useMutation(
    trpc.agents.create.mutationOptions({
      onError(error) {
        const failure = toFailure(error)
        setRefused({ yaml, failure, problem: problemOf(failure) })
      },
      onSuccess: () => setRefused(undefined),
    }),
  )
  const current = refused?.yaml === yaml ? refused : undefined

  function submit(event: FormEvent) {
    event.preventDefault()
    if (yaml.trim() !== '' && !register.isPending) register.mutate({ yaml })
  }

  if (register.data !== undefined) return <Registered answer={register.data} again={register.reset} />
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-5">
      <CodeField
        label="Manifest (YAML)"
        hint="A mapping with a name. A name that exists gets another version; the same content is registered once."
        value={yaml}
        onChange={setYaml}
        rows={22}
        problem={current?.problem}
        jumpToProblem
        readOnly={register.isPending}
      />
      {current && current.problem === undefined && <Refused failure={current.failure} />}
      <div>
        <Button
          type="submit"
          variant="primary"
          disabledReason={yaml.trim() === '' ? 'Paste a manifest first.' : undefined}
          busyLabel={register.isPending ? 'Registering the agent' : undefined}
        >
          Register the agent
        </Button>
      </div>
    </form>
  )
}

/** What the server says is wrong with the manifest itself. */
function problemOf({ code, message, issues }: Failure): CodeProblem | undefined {
  if (code !== 'invalid_manifest') return undefined
  const [issue] = issues
  if (issue === undefined) return { message }
  const { line, column } = issue
  if (line !== undefined) return { message: issue.message, line, column }
  return { message: `${issue.path}: ${issue.message}` }
}

function Refused({ failure }: { failure: Failure }) {
  const unknown = failure.code === 'network' || failure.code === 'timeout'
  return (
    <ErrorPanel
      title={unknown ? 'We do not know whether the agent was registered.' : 'The agent was not registered.'}
      effect={unknown ? failure.message : `${failure.message} Nothing was changed.`}
      advice={
        unknown
          ? 'Register it again: the same content is registered once.'
          : failure.code === 'version_conflict'
            ? 'Give the manifest another version (metadata.version).'
            : adviceFor(failure)
      }
      requestId={failure.requestId}
    />
  )
}
