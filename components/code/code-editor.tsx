'use client'

import { type ComponentType, type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react'
import * as t from '#components/texts/code/en.ts'
import { CHECKING, type CodeProblem, countText } from './code-problem.ts'
import type { CodeLanguage, EditorHandle, EditorProps } from './editor-props.ts'
import { offsetOf } from './offset-of.ts'
import { ProblemList } from './problem-list.tsx'
import { SourceArea } from './source-area.tsx'

type CodeEditorProps = {
  label: string
  hint?: string
  language: CodeLanguage
  value: string
  onChange: (value: string) => void
  /** All problems; a new array for each checked text. */
  problems: readonly CodeProblem[]
  /** The state of the check: "Checking…", "No problems found". Problems are counted here. */
  note?: string | undefined
  /** The caret moves to a problem reported by the server, but not while the person types. */
  jumpTo?: CodeProblem | undefined
  rows?: number
  readOnly?: boolean
}

const lineRem = 1.125
const paddingPx = 14

/**
 * Edits Cedar or YAML. It is a plain text area with line numbers until CodeMirror is loaded, and remains one if that can't
 * be loaded. Every problem is marked in the text and listed below; each entry moves the caret to it.
 */
export function CodeEditor(props: CodeEditorProps) {
  const { label, hint, language, value, onChange, problems, note, jumpTo, rows = 20, readOnly = false } = props
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const handle = useRef<EditorHandle>(null)
  const loaded = useEditor(area)
  const wrong = problems.some(({ severity }) => severity !== 'warning')
  const attributes = useMemo(
    () => ({
      'aria-labelledby': `${id}-label`,
      'aria-describedby': `${id}-keys ${id}-problems ${id}-hint`,
      'aria-invalid': String(wrong),
      'aria-readonly': String(readOnly),
      // Set explicitly, so that checkers see that this scrollable area is reachable by keyboard.
      tabindex: '0',
      spellcheck: 'false',
      autocapitalize: 'off',
      autocorrect: 'off',
    }),
    [id, wrong, readOnly],
  )
  const jump = (problem: CodeProblem) => {
    if (handle.current === null) jumpInArea(area.current, problem)
    else handle.current.jump(problem)
  }
  useEffect(() => {
    if (jumpTo === undefined) return
    if (handle.current === null) jumpInArea(area.current, jumpTo)
    else handle.current.jump(jumpTo)
  }, [jumpTo])
  return (
    <div className="flex flex-col gap-1.5">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: forwards clicks on the label, which a custom text box does not receive; the keyboard has Tab. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above. */}
      <span id={`${id}-label`} className="font-semibold text-dense" onClick={() => handle.current?.focus()}>
        {label}
      </span>
      {loaded === undefined ? (
        <SourceArea
          ref={area}
          rows={rows}
          value={value}
          readOnly={readOnly}
          onChange={onChange}
          marked={new Set(problems.map(({ line }) => line))}
          aria-labelledby={`${id}-label`}
          aria-invalid={wrong || undefined}
          aria-describedby={`${id}-problems ${id}-hint`}
        />
      ) : (
        <div
          style={{ height: `calc(${rows * lineRem}rem + ${paddingPx}px)` }}
          className="min-h-24 resize-y overflow-hidden border border-line-strong focus-within:outline-2 focus-within:outline-focus focus-within:outline-offset-2 has-aria-[invalid=true]:border-danger"
        >
          <loaded.Editor
            value={value}
            onChange={onChange}
            language={language}
            problems={problems}
            readOnly={readOnly}
            attributes={attributes}
            start={loaded.start}
            onReady={(ready) => {
              handle.current = ready
            }}
          />
        </div>
      )}
      <div className="flex flex-wrap justify-between gap-x-4 text-dense">
        <span id={`${id}-problems`} role="status" className={wrong ? 'text-danger' : 'text-ink-2'}>
          {/* Not announced, because it changes with each typed word. */}
          {note === CHECKING ? '' : countText(problems, note ?? '')}
          {note === CHECKING && <span aria-hidden="true">{CHECKING}</span>}
        </span>
        {loaded !== undefined && (
          <span id={`${id}-keys`} className="text-ink-2">
            {t.keys}
          </span>
        )}
      </div>
      <ProblemList label={t.problemsIn({ label })} problems={problems} onJump={jump} />
      {hint && (
        <span id={`${id}-hint`} className="text-dense text-ink-2">
          {hint}
        </span>
      )}
    </div>
  )
}

type Loaded = { Editor: ComponentType<EditorProps>; start: EditorProps['start'] }

/** Loads the editor, which takes over the caret position from the text area. */
function useEditor(area: RefObject<HTMLTextAreaElement | null>): Loaded | undefined {
  const [loaded, setLoaded] = useState<Loaded>()
  useEffect(() => {
    let gone = false
    import('./code-mirror.tsx').then(
      ({ default: Editor }) => {
        if (!gone) setLoaded({ Editor, start: caretOf(area.current) })
      },
      // Offline, or a page older than the server: the text area remains in use.
      () => undefined,
    )
    return () => {
      gone = true
    }
  }, [area])
  return loaded
}

const caretOf = (area: HTMLTextAreaElement | null): EditorProps['start'] =>
  area === null || area !== document.activeElement
    ? undefined
    : { anchor: area.selectionStart, head: area.selectionEnd }

function jumpInArea(area: HTMLTextAreaElement | null, { line, column }: CodeProblem): void {
  if (area === null || line === undefined) return
  const offset = offsetOf(area.value, line, column ?? 1)
  area.focus()
  area.setSelectionRange(offset, offset)
}
