import type { CodeProblem } from './code-problem.ts'

export type CodeLanguage = 'cedar' | 'yaml'

/** What others may have the editor do. */
export type EditorHandle = { jump: (problem: CodeProblem) => void; focus: () => void }

export type EditorProps = {
  value: string
  onChange: (value: string) => void
  language: CodeLanguage
  problems: readonly CodeProblem[]
  readOnly: boolean
  /** Of the element that holds the text: its name, its description. Changed by identity. */
  attributes: Record<string, string>
  /** Where the caret stood in the text area that it takes the place of, if the caret was there. */
  start: { anchor: number; head: number } | undefined
  onReady: (handle: EditorHandle) => void
}
