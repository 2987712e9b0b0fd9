'use client'

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import {
  EditorView,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  type ViewUpdate,
} from '@codemirror/view'
import { getNonce } from 'get-nonce'
import { useEffect, useEffectEvent, useRef } from 'react'
import { cedar } from './cedar-language.ts'
import type { CodeProblem } from './code-problem.ts'
import type { EditorProps } from './editor-props.ts'
import { editorTheme } from './editor-theme.ts'
import { offsetOf } from './offset-of.ts'

/** Tab indents; after Escape it moves the focus, as elsewhere, until another key is pressed. */
const tabLeavesMs = 60_000
const letTabLeave = {
  key: 'Escape',
  run(view: EditorView) {
    view.setTabFocusMode(tabLeavesMs)
    return true
  },
}

/**
 * Text that replaces a selection or has several lines is written into the state, and never by the browser into
 * the page: Chromium would preserve the previous look with style attributes, which the page's content security policy refuses.
 */
const replacing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event
    if (inputType !== 'insertText' || data === null || isComposing || view.state.readOnly) return false
    if (view.state.selection.main.empty && !data.includes('\n')) return false
    event.preventDefault()
    view.dispatch(view.state.replaceSelection(data.replace(lineBreaks, '\n')), {
      userEvent: 'input.type',
      scrollIntoView: true,
    })
    return true
  },
})

const lineBreaks = /\r\n?/g

/** CodeMirror 6 as a controlled field. It is a separate chunk, loaded by components/code/code-editor.tsx. */
export default function CodeMirror(props: EditorProps) {
  const { value, onChange, language, problems, readOnly, attributes, start, onReady } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const changing = useRef({ state: new Compartment(), attributes: new Compartment() })
  const changed = useEffectEvent((update: ViewUpdate) => {
    if (update.docChanged) onChange(update.state.doc.toString())
  })
  const setUp = useEffectEvent((parent: HTMLElement) => {
    const made = new EditorView({
      parent,
      state: EditorState.create({
        doc: value,
        ...(start === undefined ? {} : { selection: start }),
        extensions: [
          basics(language),
          changing.current.state.of(EditorState.readOnly.of(readOnly)),
          changing.current.attributes.of(EditorView.contentAttributes.of(attributes)),
          EditorView.updateListener.of((update) => changed(update)),
        ],
      }),
    })
    if (start !== undefined) made.focus()
    onReady({
      jump({ line, column }) {
        if (line === undefined) return
        const anchor = offsetOf(made.state.doc.toString(), line, column ?? 1)
        made.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
        made.focus()
      },
      focus: () => made.focus(),
    })
    return made
  })

  useEffect(() => {
    if (host.current === null) return
    const made = setUp(host.current)
    view.current = made
    return () => made.destroy()
  }, [])
  useEffect(() => {
    const { current } = view
    const wanted = value.replace(lineBreaks, '\n')
    if (current === null || current.state.doc.toString() === wanted) return
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: wanted } })
  }, [value])
  useEffect(() => {
    const { current } = view
    if (current !== null) current.dispatch(setDiagnostics(current.state, diagnosticsOf(current.state, problems)))
  }, [problems])
  useEffect(() => {
    const effects = [
      changing.current.state.reconfigure(EditorState.readOnly.of(readOnly)),
      changing.current.attributes.reconfigure(EditorView.contentAttributes.of(attributes)),
    ]
    view.current?.dispatch({ effects })
  }, [readOnly, attributes])

  return <div ref={host} className="h-full min-h-0" />
}

const basics = (language: EditorProps['language']): Extension => [
  EditorView.cspNonce.of(getNonce() ?? ''),
  lineNumbers(),
  lintGutter(),
  highlightActiveLineGutter(),
  // Pasted text may contain invisible characters.
  highlightSpecialChars(),
  history(),
  indentOnInput(),
  bracketMatching(),
  EditorView.lineWrapping,
  replacing,
  editorTheme,
  language === 'cedar' ? cedar : yaml(),
  keymap.of([letTabLeave, indentWithTab, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
]

/** Returns the range of a problem, up to the end of the word. */
function diagnosticsOf(state: EditorState, problems: readonly CodeProblem[]): Diagnostic[] {
  const text = state.doc.toString()
  return problems.flatMap(({ message, line, column, severity = 'error' }) => {
    if (line === undefined) return []
    const from = offsetOf(text, line, column ?? 1)
    const word = /^[\w-]+|^\S/.exec(text.slice(from))?.[0] ?? ''
    return [{ from, to: from + word.length, severity, message }]
  })
}
