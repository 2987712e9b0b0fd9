import { Fragment } from 'react'
import { type TextPart, visibleParts } from '#lib/text/visible-text.ts'

type ShownTextProps = {
  children: string
  /** Also marks spaces at the beginning and end, for values in which every byte matters. */
  edges?: boolean
  /** Allows line breaks after `.`, `_` and `/`, for names of tools and spans, which lack spaces. */
  breaks?: boolean
}

/** Untrusted text: invisible characters and look-alikes are marked with their code, and none of it affects the surrounding text. */
export function ShownText({ children, edges = false, breaks = false }: ShownTextProps) {
  return (
    <bdi className="whitespace-pre-wrap">
      {visibleParts(children, { edges }).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move.
        <Fragment key={index}>
          {'text' in part ? breaks ? <Breakable text={part.text} /> : part.text : <MarkedCharacter part={part} />}
        </Fragment>
      ))}
    </bdi>
  )
}

function Breakable({ text }: { text: string }) {
  return text.split(/(?<=[._/])/).map((chunk, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move.
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {chunk}
    </Fragment>
  ))
}

function MarkedCharacter({ part: { code, name, letter } }: { part: Extract<TextPart, { code: string }> }) {
  return (
    <span title={name} className="mx-px border border-warn bg-warn-soft px-0.5 font-mono text-dense text-warn">
      {letter !== undefined && `${letter} `}
      {code}
    </span>
  )
}
