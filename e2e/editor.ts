import type { Locator, Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/** The text box of the code editor, once it has replaced the plain text area. */
export async function editor(page: Page, label: string): Promise<Locator> {
  const box = page.getByRole('textbox', { name: label })
  await expect(box).toHaveAttribute('contenteditable', 'true')
  return box
}

/** Replaces the content of the editor with `text`, as a keyboard or an input method does. */
export async function write(box: Locator, text: string): Promise<void> {
  await box.press('ControlOrMeta+A')
  await box.page().keyboard.insertText(text)
}
