import { expect, test } from 'vitest'
import { isCommonPassword } from './common-passwords.ts'

test.each(['123qweasdzxc', '1qaz2wsx3edc', 'QwertyQwerty', 'sonyericsson', 'finalfantasy', '123456789qwe'])(
  'knows %s, in any case',
  (password) => expect(isCommonPassword(password)).toBe(true),
)

test.each(['seven quiet harbour lamps', 'correct-horse-battery-staple-9', '', 'x'.repeat(1024), '𝔭𝔞𝔰𝔰𝔴𝔬𝔯𝔡-𝔦𝔫-𝔣𝔯𝔞𝔨𝔱𝔲𝔯'])(
  'does not know %s',
  (password) => expect(isCommonPassword(password)).toBe(false),
)
