'use client'

import { type RefObject, useEffect, useId, useRef } from 'react'
import { classNames } from '#components/ui/class-names.ts'
import { CONTROL, describedBy, Field } from '#components/ui/field.tsx'
import { offsetOf } from './offset-of.ts'

/** What is wrong with the text; line and column count from 1. */
export type CodeProblem = { message: string; line?: number | undefined; column?: number | undefined }

type CodeFieldProps = {
  label: string
  hint?: string
  value: string
  onChange: (value: string) => void
  problem: CodeProblem | undefined
  /** All of them, where there can be several; `problem` is the first. */
  problems?: CodeProblem[] | undefined
  /** Moves the caret to the problem when it comes from outside (the server), not while the person types. */
  jumpToProblem?: boolean
  rows?: number
  readOnly?: boolean
}

/** A text area for source text: line numbers, the line with the problem marked, the problem below with line and column. */
export function CodeField(props: CodeFieldProps) {
  const { label, hint, value, onChange, problem, problems, jumpToProblem = false, rows = 10, readOnly } = props
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
  useJump(area, jumpToProblem ? problem : undefined)
  const error = problem && problemText(problem)
  const others = problems?.slice(1) ?? []
  const marked = new Set([problem, ...others].map((one) => one?.line))
  return (
    <div className="flex flex-col gap-2">
      <Field id={id} label={label} hint={hint} error={error}>
        <div className="grid grid-cols-[auto_minmax(0,1fr)]">
          <div
            aria-hidden="true"
            className="h-0 min-h-full overflow-hidden border border-line-strong border-r-0 bg-sunken"
          >
            <div ref={gutter} className="px-2 py-1.5 text-right font-mono text-dense text-ink-3">
              {value.split('\n').map((_, index) => (
                <div
                  // biome-ignore lint/suspicious/noArrayIndexKey: a line number is its own key.
                  key={index}
                  className={classNames(marked.has(index + 1) && '-mx-2 bg-danger-soft px-2 font-bold text-danger')}
                >
                  {index + 1}
                </div>
              ))}
            </div>
          </div>
          <textarea
            ref={area}
            id={id}
            rows={rows}
            wrap="off"
            spellCheck={false}
            autoCapitalize="none"
            autoComplete="off"
            value={value}
            readOnly={readOnly}
            onChange={(event) => onChange(event.target.value)}
            onScroll={(event) => {
              if (gutter.current) gutter.current.style.translate = `0 -${event.currentTarget.scrollTop}px`
            }}
            aria-invalid={problem ? true : undefined}
            aria-describedby={describedBy(id, { label, hint, error })}
            className={classNames(CONTROL, 'resize-y overflow-auto whitespace-pre font-mono text-dense')}
          />
        </div>
      </Field>
      {others.length > 0 && <Others problems={others} area={area} />}
    </div>
  )
}

/** The problems after the first one; each leads to its place. */
function Others({ problems, area }: { problems: CodeProblem[]; area: RefObject<HTMLTextAreaElement | null> }) {
  return (
    <ul aria-label="Further problems" className="flex flex-col text-dense">
      {problems.map((problem) => (
        <li key={problemText(problem)}>
          <button
            type="button"
            className="min-h-6 text-left text-danger underline underline-offset-3"
            onClick={() => jumpTo(area.current, problem)}
          >
            {problemText(problem)}
          </button>
        </li>
      ))}
    </ul>
  )
}

const problemText = ({ message, line, column }: CodeProblem): string =>
  line === undefined ? message : `Line ${line}${column === undefined ? '' : `, column ${column}`}: ${message}`

function useJump(area: RefObject<HTMLTextAreaElement | null>, problem: CodeProblem | undefined) {
  useEffect(() => jumpTo(area.current, problem), [area, problem])
}

function jumpTo(element: HTMLTextAreaElement | null, problem: CodeProblem | undefined) {
  if (element === null || problem?.line === undefined) return
  const offset = offsetOf(element.value, problem.line, problem.column ?? 1)
  element.focus()
  element.setSelectionRange(offset, offset)
}
