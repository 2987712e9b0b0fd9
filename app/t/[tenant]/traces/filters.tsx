'use client'

import { type FormEvent, useEffect, useState } from 'react'
import { AgentField } from '#components/agents/agent-field.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import { addressSearch, replaceAddress } from '#components/lists/address.ts'
import { FilterFold } from '#components/lists/filter-fold.tsx'
import { PeriodFields } from '#components/lists/period-fields.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/traces/en.ts'
import { kindWord, spanKinds } from '#components/traces/grid/span-kind.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { limits } from '#lib/limits.ts'
import { tracesPath } from '#lib/paths.ts'
import { countSet, filterFrom, kindFrom, noFilter, searchOf, statusFrom, type TraceFilter } from './filter.ts'

/** The value of a select for "not filtered". */
const ALL = 'all'

/** Filters by name, agent, state, kind of step and day, kept in the address. */
export function Filters({ filter }: { filter: TraceFilter }) {
  const { tenant } = useSession()
  const show = (change: Partial<TraceFilter>) =>
    replaceAddress(tracesPath(tenant, searchOf({ ...filterFrom(addressSearch()), ...change })))
  return (
    <FilterFold label={t.filterTraces} set={countSet(filter)} onClear={() => show(noFilter)}>
      <NameField text={filter.text} onChange={(text) => show({ text })} />
      <AgentField label={t.agent} agentId={filter.agentId} onChange={(agentId) => show({ agentId })} />
      <SelectField
        label={t.state}
        value={filter.status === '' ? ALL : filter.status}
        onChange={(value) => show({ status: statusFrom(value) })}
        placeholder=""
        options={[
          { value: ALL, label: t.allStates },
          { value: 'open', label: t.running },
          { value: 'ok', label: t.endedWithoutError },
          { value: 'error', label: t.withError },
        ]}
      />
      <SelectField
        label={t.withStepOfKind}
        value={filter.kind === '' ? ALL : filter.kind}
        onChange={(value) => show({ kind: kindFrom(value) })}
        placeholder=""
        options={[{ value: ALL, label: t.any }, ...spanKinds.map((kind) => ({ value: kind, label: kindWord(kind) }))]}
      />
      <PeriodFields days={filter} onChange={({ from, to }) => show({ from, to })} />
    </FilterFold>
  )
}

/** Applies its text on Enter or when it loses focus, because filtering on each keystroke would send a request per letter. */
function NameField({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const [draft, setDraft] = useState(text)
  useEffect(() => setDraft(text), [text])
  const look = () => draft.trim() !== text && onChange(draft.trim())
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        look()
      }}
    >
      <TextField
        label={t.recordedName}
        type="search"
        autoComplete="off"
        spellCheck={false}
        maxLength={limits.traceText}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={look}
      />
    </form>
  )
}
