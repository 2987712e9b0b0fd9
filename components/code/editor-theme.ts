import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** Gutter marks that replace the package's images. Shape, not only colour, distinguishes them. */
const mark = (character: string, tone: string) => ({
  content: `"${character}"`,
  display: 'block',
  textAlign: 'center',
  color: `var(--${tone})`,
  fontWeight: '700',
})
const underlined = (tone: string, line: string) => ({
  backgroundImage: 'none',
  backgroundColor: `var(--${tone}-soft)`,
  textDecoration: `underline ${line} var(--${tone})`,
  textDecorationSkipInk: 'none',
  paddingBottom: '0',
})

/** The console's design tokens, so that both themes and their tested contrasts apply. */
const look = EditorView.theme({
  '&': {
    height: '100%',
    fontSize: 'var(--text-dense)',
    color: 'var(--ink)',
    backgroundColor: 'var(--raised)',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: 'var(--text-dense--line-height)', overflow: 'auto' },
  '.cm-content': { padding: '6px 0', caretColor: 'var(--ink)' },
  '&[data-read-only] .cm-content': { backgroundColor: 'var(--sunken)' },
  '.cm-line': { padding: '0 8px' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--ink-3)',
    border: 'none',
    borderRight: '1px solid var(--line)',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 4px', minWidth: '28px' },
  '.cm-gutter-lint': { width: '16px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLineGutter': { color: 'var(--ink)', fontWeight: '700' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--selected)',
    outline: '1px solid var(--line-strong)',
  },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--danger-soft)' },
  '.cm-specialChar': { color: 'var(--danger)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    maxWidth: 'min(60ch, 80vw)',
  },
  '.cm-diagnostic': { padding: '4px 8px', fontFamily: 'var(--font-sans)', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--danger)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--warn)' },
  '.cm-lintRange-error': underlined('danger', 'wavy'),
  '.cm-lintRange-warning': underlined('warn', 'dotted'),
  '.cm-lintPoint-error::after': { borderBottomColor: 'var(--danger)' },
  '.cm-lintPoint-warning::after': { borderBottomColor: 'var(--warn)' },
  '.cm-lint-marker': { width: '100%', height: 'auto' },
  '.cm-lint-marker-error, .cm-lint-marker-warning': { content: 'normal' },
  '.cm-lint-marker-error::before': mark('×', 'danger'),
  '.cm-lint-marker-warning::before': mark('!', 'warn'),
})

/** Few tones: weight shows structure, and colour distinguishes literals from words. */
const words = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], fontWeight: '700' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], fontWeight: '600' },
  { tag: [tags.string, tags.number, tags.bool, tags.null], color: 'var(--info)' },
  { tag: [tags.meta, tags.labelName], color: 'var(--hold)' },
  { tag: [tags.typeName, tags.comment], color: 'var(--ink-3)' },
])

export const editorTheme: Extension = [look, syntaxHighlighting(words)]
