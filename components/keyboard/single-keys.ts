import { createPreference } from '#components/layout/preference.ts'

/** Shortcuts without a modifier key can interfere with speech input, so they can be turned off (WCAG 2.1.4). */
export const singleKeys = createPreference<'on' | 'off'>({
  key: 'countersign-single-keys',
  fallback: 'on',
  isValue: (text): text is 'on' | 'off' => text === 'on' || text === 'off',
})
export const useSingleKeys = singleKeys.use

/** Whether the keystroke is text input. Radio buttons and checkboxes don't accept letters, so shortcuts work there. */
export function isTyping({ target, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || isComposing) return true
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return target.type !== 'radio' && target.type !== 'checkbox'
  return target.isContentEditable || target.closest('textarea, select, [role="menu"], [role="dialog"]') !== null
}
