import type { CodeProblem } from './code-problem.ts'

export type CodeLanguage = 'cedar' | 'yaml'

/** The actions that other components can trigger. */
export type EditorHandle = { jump: (problem: CodeProblem) => void; focus: () => void }

export type EditorProps = {
  value: string
  onChange: (value: string) => void
  language: CodeLanguage
  problems: readonly CodeProblem[]
  readOnly: boolean
  /** Attributes of the text element, such as its name and description. Compared by identity. */
  attributes: Record<string, string>
  /** Caret position in the text area that the editor replaces, if it had the focus. */
  start: { anchor: number; head: number } | undefined
  onReady: (handle: EditorHandle) => void
}
