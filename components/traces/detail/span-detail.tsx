'use client'

import Link from 'next/link'
import { useState } from 'react'
import { JsonView } from '#components/json/json-view.tsx'
import { formatDuration } from '#components/language/formats.ts'
import { ErasedNotice } from '#components/page/erased-notice.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/trace-detail/en.ts'
import { kindWord } from '#components/traces/grid/span-kind.tsx'
import { conversationOf } from '#components/traces/model/conversation.ts'
import { maskedIn } from '#components/traces/model/trace-figures.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { auditRecordPath } from '#lib/paths.ts'
import { isInput, isOutput } from '#lib/traces/span-content.ts'
import type { Answers } from '#lib/trpc.ts'
import { Part } from './part.tsx'
import { RevealDialog } from './reveal-dialog.tsx'
import { SeenBy } from './seen-by.tsx'
import { SpanAttributes } from './span-attributes.tsx'
import { SpanConversation } from './span-conversation.tsx'
import { SpanLinks } from './span-links.tsx'
import { SpanProof } from './span-proof.tsx'
import type { Reveal } from './use-reveal.ts'
import { useSpan } from './use-span.ts'

type Detail = Answers['traces']['getSpan']

type SpanDetailProps = {
  traceId: string
  span: TraceSpan
  parentName: string | undefined
  reveal: Reveal | undefined
  onReveal: (reveal: Reveal) => void
}

/** One span in full. The data of the waterfall is shown immediately; attributes and events are loaded. */
export function SpanDetail({ traceId, span, parentName, reveal, onReveal }: SpanDetailProps) {
  const { masked, clear } = useSpan(traceId, span, reveal)
  const shown = clear?.data ?? masked.data
  return (
    <>
      <div className="flex flex-col gap-1">
        <h2 className="wrap-anywhere">
          <ShownText>{span.name}</ShownText>
        </h2>
        <SpanStatus span={span} />
      </div>
      {shown !== undefined && <SpanConversation attributes={shown.span.attributes} />}
      <Part title={t.summary}>
        <KeyValues>
          <KeyValue name={t.kind}>{kindWord(span.kind)}</KeyValue>
          {shown?.span.statusMessage != null && (
            <KeyValue name={t.message}>
              <ShownText>{shown.span.statusMessage}</ShownText>
            </KeyValue>
          )}
          <KeyValue name={t.started}>
            <Time at={new Date(span.startedAt).toISOString()} show="absolute" />
          </KeyValue>
          <KeyValue name={t.took}>
            {span.endedAt === null ? t.notEndedYet : formatDuration(span.endedAt - span.startedAt)}
          </KeyValue>
          <KeyValue name={t.partOf}>
            <ShownText>
              {parentName ??
                (span.parentSpanId === null
                  ? t.noneRootSpan
                  : t.missingSpanWhichHas({ parentSpanId: span.parentSpanId }))}
            </ShownText>
          </KeyValue>
          <KeyValue name={t.spanId}>
            <Copyable value={span.spanId} label={t.spanIdInSentence} />
          </KeyValue>
        </KeyValues>
      </Part>
      {shown !== undefined ? (
        <Carried traceId={traceId} detail={shown} reveal={reveal} onReveal={onReveal} />
      ) : masked.error === null ? (
        <Skeleton label={t.loadingSpan} rows={5} />
      ) : (
        <RequestFailed
          error={masked.error}
          what={t.theSpan}
          act={t.seeTraces}
          permission="trace:read"
          retry={() => void masked.refetch()}
        />
      )}
      {clear !== undefined && clear.error !== null && (
        <RequestFailed
          error={clear.error}
          what={t.unmaskedValues}
          act={t.revealMasked}
          permission="trace:unmask"
          retry={() => void clear.refetch()}
        />
      )}
    </>
  )
}

function SpanStatus({ span: { status, endedAt } }: { span: TraceSpan }) {
  if (endedAt === null) return <StatusShape status="running" />
  if (status === 'error') return <StatusShape status="failed" label={t.error} />
  return <StatusShape status="approved" label={status === 'ok' ? t.ok : t.ended} />
}

function Carried({
  traceId,
  detail,
  reveal,
  onReveal,
}: Omit<SpanDetailProps, 'span' | 'parentName'> & { detail: Detail }) {
  const { tenant } = useSession()
  const { attributes, events, links, resource, facts, proof } = detail.span
  const conversation = conversationOf(attributes)
  // They are above, in the conversation.
  const said = attributes.filter(({ key }) => conversation?.keys.has(key))
  const inputs = attributes.filter((one) => isInput(one) && !said.includes(one))
  const outputs = attributes.filter((one) => isOutput(one) && !said.includes(one))
  const policy = attributes.filter(({ key }) => /^countersign\.(policy|decision|approval)/.test(key))
  const rest = attributes.filter((one) => ![...said, ...inputs, ...outputs, ...policy].includes(one))
  return (
    <>
      {Object.keys(facts).length > 0 && (
        <Part title={t.subject}>
          <JsonView value={facts} />
        </Part>
      )}
      {inputs.length > 0 && (
        <Part title={t.input}>
          <SpanAttributes attributes={inputs} />
        </Part>
      )}
      {outputs.length > 0 && (
        <Part title={t.output}>
          <SpanAttributes attributes={outputs} />
        </Part>
      )}
      {policy.length > 0 && (
        <Part title={t.policy}>
          <SpanAttributes attributes={policy} />
        </Part>
      )}
      <Part title={t.attributes}>
        {attributes.length === 0 ? (
          <p className="text-ink-2">{t.noAttributesWereRecorded}</p>
        ) : (
          rest.length > 0 && <SpanAttributes attributes={rest} />
        )}
      </Part>
      <Sensitive traceId={traceId} detail={detail} reveal={reveal} onReveal={onReveal} />
      <Part title={t.events}>
        {events.length === 0 ? (
          <p className="text-ink-2">{t.noEventsWereRecorded}</p>
        ) : (
          <ul className="flex flex-col gap-3">
            {events.map(({ name, at, attributes: own }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: events never move.
              <li key={index}>
                <span className="wrap-anywhere">
                  <ShownText>{name}</ShownText>
                </span>
                , <Time at={at} show="absolute" />
                {own.length > 0 && <SpanAttributes attributes={own} />}
              </li>
            ))}
          </ul>
        )}
      </Part>
      {links.length > 0 && (
        <Part title={t.links}>
          <SpanLinks links={links} />
        </Part>
      )}
      {resource.length > 0 && (
        <Part title={t.resource}>
          <SpanAttributes attributes={resource} />
        </Part>
      )}
      <Part title={t.proof}>
        {proof === null ? (
          <p className="text-ink-2">{t.auditRecordsOfIts}</p>
        ) : (
          <>
            <p>
              {t.entryOfBatch({
                number: String(proof.index + 1),
                link: (content) => (
                  <Link href={auditRecordPath(tenant, proof.auditId)} prefetch={false} className="text-link">
                    {content}
                  </Link>
                ),
              })}
            </p>
            <SpanProof traceId={traceId} spanId={detail.span.spanId} />
          </>
        )}
      </Part>
    </>
  )
}

/** Masked values: how many there are, who revealed them, and the button that requests a grant. */
function Sensitive({
  traceId,
  detail,
  reveal,
  onReveal,
}: Omit<SpanDetailProps, 'span' | 'parentName'> & { detail: Detail }) {
  const mayAsk = useSession().can('trace:unmask')
  const [asking, setAsking] = useState(false)
  const { attributes, events, links, resource } = detail.span
  const all = [...attributes, ...[...events, ...links].flatMap((one) => one.attributes), ...resource]
  const masked = maskedIn({ attributes: all })
  const fields = all.filter((one) => maskedIn({ attributes: [one] }) > 0).map(({ key }) => key)
  const gone = all.some((one) => one.erased === true) ? detail.erased : []
  if (masked === 0 && detail.seenBy.length === 0 && gone.length === 0) return null
  return (
    <>
      <ErasedNotice erased={gone} />
      {masked > 0 && (
        <div className="flex flex-col items-start gap-2">
          <p className="text-ink-2">{t.maskedValues({ masked, noGrant: String(reveal === undefined) })}</p>
          <Button onClick={() => setAsking(true)} disabledReason={mayAsk ? undefined : t.onlyPrivacyOfficerCan}>
            {t.revealMaskedValues}
          </Button>
          {asking && (
            <RevealDialog
              traceId={traceId}
              fields={fields}
              open={asking}
              onOpenChange={setAsking}
              onGranted={onReveal}
            />
          )}
        </div>
      )}
      <Part title={t.seenBy}>
        <SeenBy reveals={detail.seenBy} />
      </Part>
    </>
  )
}
