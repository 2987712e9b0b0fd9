'use client'

import { usePages } from '#components/api/use-pages.ts'
import { SelectField } from '#components/forms/select-field.tsx'
import * as t from '#components/texts/evidence/en.ts'
import { RadioCards } from '#components/ui/controls/radio-cards.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import type { ExportScope } from '#lib/schemas/evidence.ts'
import { useTRPC } from '#lib/trpc.ts'

export type ScopeChoice = { kind: 'everything' | 'agent' | 'execution' | 'approval'; id: string }

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Undefined: everything. 'missing': the id of what was chosen is not complete. */
export function scopeOf({ kind, id }: ScopeChoice): ExportScope | undefined | 'missing' {
  if (kind === 'everything') return undefined
  const given = id.trim().toLowerCase()
  if (!UUID.test(given)) return 'missing'
  if (kind === 'agent') return { agentId: given }
  return kind === 'execution' ? { executionId: given } : { approvalId: given }
}

/** The choice of a scope. */
export function choiceOf(scope: ExportScope | null): ScopeChoice {
  if (scope === null) return { kind: 'everything', id: '' }
  if ('agentId' in scope) return { kind: 'agent', id: scope.agentId }
  return 'executionId' in scope
    ? { kind: 'execution', id: scope.executionId }
    : { kind: 'approval', id: scope.approvalId }
}

type ScopeFieldsProps = {
  choice: ScopeChoice
  onChange: (choice: ScopeChoice) => void
  problem: boolean
  locked: boolean
}

/** What the archive is limited to. */
export function ScopeFields({ choice, onChange, problem, locked }: ScopeFieldsProps) {
  return (
    <>
      <RadioCards
        legend={t.aboutWhat}
        value={choice.kind}
        onChange={(kind) => onChange({ kind, id: '' })}
        locked={locked}
        options={[
          {
            value: 'everything',
            label: t.everything,
            consequence: t.allAgentsExecutionsAnd,
          },
          { value: 'agent', label: t.oneAgent, consequence: t.itsReleasesExecutionsApprovals },
          { value: 'execution', label: t.oneExecution, consequence: t.whatHappenedInIt },
          { value: 'approval', label: t.oneApproval, consequence: t.requestItsVotesAnd },
        ]}
      />
      {choice.kind === 'agent' && (
        <AgentField id={choice.id} onChange={(id) => onChange({ ...choice, id })} problem={problem} />
      )}
      {(choice.kind === 'execution' || choice.kind === 'approval') && (
        <TextField
          label={choice.kind === 'execution' ? t.idOfExecution : t.idOfApproval}
          hint={t.copyItFromIts}
          error={problem ? t.enterCompleteId : undefined}
          value={choice.id}
          onChange={(event) => onChange({ ...choice, id: event.target.value })}
          readOnly={locked}
          aria-required
        />
      )}
    </>
  )
}

type AgentFieldProps = { id: string; onChange: (id: string) => void; problem: boolean }

function AgentField({ id, onChange, problem }: AgentFieldProps) {
  const trpc = useTRPC()
  const { items } = usePages(trpc.agents.list, {})
  return (
    <SelectField
      label={t.agent}
      error={problem ? t.chooseAgentError : undefined}
      value={id}
      onChange={onChange}
      options={(items ?? []).map((agent) => ({ value: agent.id, label: agent.displayName }))}
      placeholder={t.chooseAgent}
    />
  )
}
