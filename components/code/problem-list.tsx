'use client'

import * as t from '#components/texts/code/en.ts'
import { Glyph } from '#components/ui/status/glyph.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { type CodeProblem, problemText } from './code-problem.ts'

type ProblemListProps = { label: string; problems: readonly CodeProblem[]; onJump: (problem: CodeProblem) => void }

/** The problems of a text in order; each entry moves the caret to it. */
export function ProblemList({ label, problems, onJump }: ProblemListProps) {
  if (problems.length === 0) return null
  return (
    <ul aria-label={label} className="flex max-h-48 flex-col overflow-y-auto border-line border-t text-dense">
      {problems.map((problem, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two problems can have the same message and position.
        <li key={index} className="flex items-start gap-2 border-line border-b py-1">
          <Severity warning={problem.severity === 'warning'} />
          {problem.line === undefined ? (
            <span className="wrap-anywhere min-w-0">
              <ShownText>{problem.message}</ShownText>
            </span>
          ) : (
            <button
              type="button"
              onClick={() => onJump(problem)}
              className="wrap-anywhere min-h-6 min-w-0 text-left underline underline-offset-3"
            >
              <ShownText>{problemText(problem)}</ShownText>
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}

function Severity({ warning }: { warning: boolean }) {
  return (
    <>
      <Glyph className={warning ? 'mt-1 shrink-0 text-warn' : 'mt-1 shrink-0 text-danger'}>
        {warning ? <circle cx="8" cy="8" r="5.75" /> : <path d="M8 2.25 14.25 13.5H1.75z" />}
        <path d="M8 6.5v3m0 1.9v.1" />
      </Glyph>
      <span className="sr-only">{warning ? t.warning : t.problem}</span>
    </>
  )
}
