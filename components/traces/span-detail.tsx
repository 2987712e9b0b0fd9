'use client'

import { type ReactNode, useId } from 'react'
import { JsonView, MaskedValue } from '#components/json/json-view.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/button.tsx'
import { Copyable } from '#components/ui/copyable.tsx'
import { KeyValue, KeyValues } from '#components/ui/key-values.tsx'
import { ShownText } from '#components/ui/shown-text.tsx'
import { StatusShape } from '#components/ui/status-shape.tsx'
import { Time } from '#components/ui/time.tsx'
import { formatDuration } from '#lib/format.ts'
import type { Span } from '#lib/schemas/traces.ts'
import { kindWord } from './span-kind.tsx'
import { maskedIn } from './trace-figures.ts'

/** One span in full: what it was, its attributes, its events. */
export function SpanDetail({ span, parentName }: { span: Span; parentName: string | undefined }) {
  const { spanId, kind, statusMessage, startedAt, endedAt } = span
  return (
    <>
      <div className="flex flex-col gap-1">
        <h2 className="wrap-anywhere">
          <ShownText>{span.name}</ShownText>
        </h2>
        <SpanStatus span={span} />
      </div>
      <Part title="Summary">
        <KeyValues>
          <KeyValue name="Kind">{kindWord(kind)}</KeyValue>
          {statusMessage !== null && (
            <KeyValue name="Message">
              <ShownText>{statusMessage}</ShownText>
            </KeyValue>
          )}
          <KeyValue name="Started">
            <Time at={startedAt} show="absolute" />
          </KeyValue>
          <KeyValue name="Took">
            {endedAt === null ? 'Not ended yet' : formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}
          </KeyValue>
          <KeyValue name="Part of">
            <ShownText>{parentName ?? 'Nothing: it is a root'}</ShownText>
          </KeyValue>
          <KeyValue name="Span id">
            <Copyable value={spanId} label="span id" />
          </KeyValue>
        </KeyValues>
      </Part>
      <Attributes span={span} />
      <Part title="Events">
        <p className="text-ink-2">No events were recorded in this span.</p>
      </Part>
    </>
  )
}

function SpanStatus({ span: { status, endedAt } }: { span: Span }) {
  if (endedAt === null) return <StatusShape status="running" />
  if (status === 'error') return <StatusShape status="failed" label="Error" />
  return <StatusShape status="approved" label={status === 'ok' ? 'OK' : 'Ended'} />
}

function Attributes({ span }: { span: Span }) {
  const masked = maskedIn(span)
  return (
    <Part title="Attributes">
      {span.attributes.length === 0 ? (
        <p className="text-ink-2">It carries no attributes.</p>
      ) : (
        <dl className="border-line border-b">
          {span.attributes.map(({ key, value, masked: whole }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a span may carry a key twice, and attributes never move.
            <div key={`${index} ${key}`} className="border-line border-t py-1.5">
              <dt className="wrap-anywhere font-mono text-dense text-ink-2">
                <ShownText edges>{key}</ShownText>
              </dt>
              <dd className="min-w-0">
                {whole ? <MaskedValue masked={whole} /> : value === undefined ? 'No value' : <JsonView value={value} />}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {masked > 0 && <WhyMasked count={masked} />}
    </Part>
  )
}

function WhyMasked({ count }: { count: number }) {
  const mayAsk = useSession().can('trace:unmask')
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="text-ink-2">
        {count === 1 ? 'One value is' : `${count} values are`} masked: you have no unmask grant for this trace.
      </p>
      <Button
        disabledReason={
          mayAsk
            ? 'Asking for a grant is not part of this version yet.'
            : 'Needs the permission trace:unmask, which privacy officers have.'
        }
      >
        Reveal masked values
      </Button>
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex flex-col gap-1.5">
      <h3 id={id} className="text-dense text-ink-2">
        {title}
      </h3>
      {children}
    </section>
  )
}
