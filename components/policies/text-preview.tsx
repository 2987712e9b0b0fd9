'use client'

import { useApi } from '#components/api/api.tsx'
import { keepPreviousData, useQuery } from '#components/api/query.ts'
import { useSettled } from '#components/code/use-settled.ts'
import { leafText } from '#components/json/leaf-text.ts'
import { Section } from '#components/page/section.tsx'
import { failureText } from '#components/session/failure-text.ts'
import * as t from '#components/texts/policies/en.ts'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { ExampleCall, PreviewOutput } from '#lib/schemas/policies/rules.ts'
import { toFailure } from '#lib/trpc.ts'
import { EffectShape, Reasons } from './effect.tsx'
import { obligationText } from './obligation-text.ts'
import { RuleWordsList } from './rule-list.tsx'

/** A call to try the text on, with its name for readers. */
export type Example = ExampleCall & { title: string }

/** What a text means while it is written: what it decides about examples, and its rules in words. */
export function TextPreview({ source, examples }: { source: string; examples: readonly Example[] }) {
  const { client } = useApi()
  const settled = useSettled(source)
  const calls = examples.map(({ title: _title, ...call }) => call)
  const { data, error } = useQuery({
    queryKey: ['previewed text', settled, calls],
    queryFn: ({ signal }) =>
      client.policies.preview.query({ source: settled, calls }, { signal, context: { posted: true } }),
    enabled: settled.trim() !== '',
    placeholderData: keepPreviousData,
    // Results are not cached, because the tools that a text is checked against can change.
    gcTime: 0,
    retry: false,
  })
  if (settled.trim() === '') return null
  if (error !== null)
    return (
      <Banner tone="warn" urgency="status">
        {t.whatTextDecidesCould({ message: failureText(toFailure(error)) })}
      </Banner>
    )
  if (data === undefined) return <Skeleton label={t.tryingText} rows={6} />
  if (data.problems.length > 0) return <p className="text-ink-2">{t.fixMarkedProblemsTo}</p>
  return (
    <>
      {examples.length > 0 && (
        <Section title={t.whatThisTextDecides}>
          <p className="max-w-[75ch] text-ink-2">{t.computedFromTextAbove}</p>
          <DataTable
            caption={t.whatThis}
            columns={COLUMNS}
            rows={data.outcomes.flatMap((outcome, index) => {
              const example = examples[index]
              return example === undefined ? [] : [{ example, outcome }]
            })}
            rowKey={({ example }) => example.title}
          />
        </Section>
      )}
      <Section title={t.inWords}>
        <RuleWordsList rules={data.rules} />
      </Section>
    </>
  )
}

type Row = { example: Example; outcome: PreviewOutput['outcomes'][number] }

const COLUMNS: Column<Row>[] = [
  {
    key: 'call',
    header: t.example,
    rowHeader: true,
    cell: ({ example }) => (
      <span className="flex flex-col">
        {example.title}
        <code className="wrap-anywhere font-mono text-dense text-ink-2">{argumentText(example)}</code>
      </span>
    ),
  },
  { key: 'effect', header: t.decision, cell: ({ outcome }) => <EffectShape effect={outcome.effect} /> },
  { key: 'why', header: t.because, cell: ({ outcome }) => <Why outcome={outcome} /> },
]

const argumentText = ({ arguments: given }: Example): string =>
  Object.entries(given)
    .map(([name, value]) => `${name}: ${leafText(value)}`)
    .join(', ')

/** What must happen first, or else the rules that decided. */
function Why({ outcome: { effect, obligations, reasons } }: { outcome: Row['outcome'] }) {
  if (effect === 'deny' || obligations.length === 0) return <Reasons reasons={reasons} />
  return (
    <ul className="flex flex-col gap-1">
      {obligations.map((obligation) => (
        <li key={`${obligation.kind} ${obligation.policyRule}`} className="wrap-anywhere">
          <ShownText>{obligationText(obligation)}</ShownText>
        </li>
      ))}
    </ul>
  )
}
