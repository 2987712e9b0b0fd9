import type { ReactNode } from 'react'
import { JsonView, LongText, MaskedValue } from '#components/json/json-view.tsx'
import { formatNumber } from '#components/language/formats.ts'
import * as t from '#components/texts/trace-detail/en.ts'
import { conversationOf, type Message, type Part, type Role } from '#components/traces/model/conversation.ts'
import { ErasedTag } from '#components/ui/status/erased-tag.tsx'
import { Tag } from '#components/ui/status/tag.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Span } from '#lib/schemas/traces.ts'
import { Part as DetailPart } from './part.tsx'
import { SpanAttributes } from './span-attributes.tsx'

const WORDS: Record<Role, string> = { system: t.system, user: t.user, assistant: t.assistant, tool: t.tool }

/** What was said in a span, if it is a call of a model or a tool. */
export function SpanConversation({ attributes }: { attributes: Span['attributes'] }) {
  const conversation = conversationOf(attributes)
  if (conversation === undefined) return null
  return (
    <DetailPart title={t.conversation}>
      <Messages messages={conversation.messages} />
      <details>
        <summary className="w-fit min-h-6 text-dense text-ink-2">{t.asRecorded}</summary>
        <SpanAttributes attributes={attributes.filter(({ key }) => conversation.keys.has(key))} />
      </details>
    </DetailPart>
  )
}

/**
 * A conversation by roles. Texts are shown as they are, also Markdown; images and files are named, and nothing is loaded from an
 * address in them.
 */
function Messages({ messages }: { messages: readonly Message[] }) {
  return (
    <ol className="border-line border-b">
      {messages.map(({ role, parts }, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: messages of a span never move.
          key={index}
          className="grid grid-cols-[5.125rem_minmax(0,1fr)] gap-x-3 border-line border-t py-2"
        >
          <span className="font-semibold text-dense">{WORDS[role]}</span>
          <Folded when={role === 'system'} label={sizeOf(parts)}>
            <div className="flex flex-col gap-2">
              {parts.length === 0 && <span className="text-ink-2">{t.empty}</span>}
              {parts.map((part, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: parts of a message never move.
                <MessagePart key={place} part={part} />
              ))}
            </div>
          </Folded>
        </li>
      ))}
    </ol>
  )
}

/** System prompts are long and the same in each call. */
function Folded({ when, label, children }: { when: boolean; label: string; children: ReactNode }) {
  if (!when) return children
  return (
    <details>
      <summary className="w-fit min-h-6 text-ink-2">{label}</summary>
      {children}
    </details>
  )
}

function sizeOf(parts: readonly Part[]): string {
  const length = parts.reduce((sum, part) => sum + (part.kind === 'text' ? part.text.length : 0), 0)
  return length === 0 ? t.instructions : t.instructionsCharacters({ length: formatNumber(length) })
}

function MessagePart({ part }: { part: Part }) {
  switch (part.kind) {
    case 'text':
      return <LongText text={part.text} />
    case 'thinking':
      return (
        <details>
          <summary className="w-fit min-h-6 text-ink-2">{t.thinking}</summary>
          <LongText text={part.text} />
        </details>
      )
    case 'masked':
      return <MaskedValue masked={part.masked} />
    case 'erased':
      return <ErasedTag />
    case 'call':
      return (
        <Box head={<Named name={part.name} what={t.calledWith} />}>
          <JsonView value={part.arguments} />
        </Box>
      )
    case 'result':
      return (
        <Box failed={part.failed} head={<Named name={part.name} what={part.failed ? t.failedWith : t.answered} />}>
          <JsonView value={part.value} />
        </Box>
      )
    case 'media':
      return (
        <span>
          <Tag>
            {part.what}
            {part.note !== '' && (
              <>
                , <ShownText>{part.note}</ShownText>
              </>
            )}
          </Tag>
        </span>
      )
    case 'other':
      return <JsonView value={part.value} />
  }
}

function Named({ name, what }: { name: string | undefined; what: typeof t.answered }) {
  return what({
    name: name ?? t.theTool,
    code: (content) => <code className="wrap-anywhere font-mono font-semibold">{content}</code>,
    shown: (content) => <ShownText breaks>{String(content)}</ShownText>,
  })
}

function Box({ head, failed = false, children }: { head: ReactNode; failed?: boolean; children: ReactNode }) {
  return (
    <div className={failed ? 'border border-danger' : 'border border-line-strong'}>
      <p
        className={
          failed
            ? 'border-danger border-b bg-danger-soft px-2 py-1 text-danger text-dense'
            : 'border-line-strong border-b bg-sunken px-2 py-1 text-dense'
        }
      >
        {head}
      </p>
      <div className="px-2 py-1">{children}</div>
    </div>
  )
}
