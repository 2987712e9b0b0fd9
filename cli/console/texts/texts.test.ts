import { describe, expect, test } from 'vitest'
import type { Language } from '#lib/languages.ts'
import { type Catalogs, type Message, modulesOf } from './catalogs.ts'
import { pseudo } from './pseudo.ts'
import { textsInDocument, textsInScript } from './put-texts.ts'
import { inEachLanguage } from './scripts.ts'

const message = (name: string, en: Message['compiled']['en'], de: Message['compiled']['en']): [string, Message] => [
  `area.${name}`,
  {
    area: 'area',
    name,
    key: `area.${name}`,
    digest: 'abc123',
    compiled: { en, de, 'en-XA': pseudo(en) },
  },
]

const catalogs: Catalogs = new Map([
  message('title', 'Sign in', 'Anmelden'),
  message('quoted', 'Say “yes”', 'Sagen Sie "ja"'),
  message(
    'count',
    [['count', 2, { one: [0, ' call'], other: [0, ' calls'] }]],
    [['count', 2, { one: [0, ' Aufruf'], other: [0, ' Aufrufe'] }]],
  ),
  message('link', ['Read ', ['link', 'this'], '.'], ['Lesen Sie ', ['link', 'das'], '.']),
  message('moved', ['Read ', ['link', 'this'], '.'], [['link', 'Das'], ' lesen.']),
])
const languages: Language[] = ['en', 'de']
const script = (name: string) => `/_next/static/chunks/${name}.js`

describe('scripts', () => {
  test('have the texts of their language, with either kind of quotes', () => {
    const source = `x={a:__text("area.title#abc123"),b:m(__text(\`area.count#abc123\`),"en")}`
    expect(textsInScript('a', source, 'de', catalogs)).toBe(
      'x={a:"Anmelden",b:m([["count",2,{"one":[0," Aufruf"],"other":[0," Aufrufe"]}]],"en")}',
    )
  })

  test('made with an older text are refused', () => {
    expect(() => textsInScript('a', '__text("area.title#000000")', 'en', catalogs)).toThrow(/older text of area\.title/)
  })

  test('with an unknown text are refused', () => {
    expect(() => textsInScript('a', '__text("area.other#abc123")', 'en', catalogs)).toThrow(/area\.other.*catalogs/)
  })

  test('exist once in each language if they have texts or refer to one that has, and once otherwise', () => {
    const assets: [string, Buffer][] = [
      [script('with'), Buffer.from('__text("area.title#abc123")')],
      [script('refers'), Buffer.from('load("static/chunks/with.js")')],
      [script('without'), Buffer.from('load("static/chunks/other.js")')],
      ['/_next/static/chunks/style.css', Buffer.from('')],
    ]
    const { assets: written, translations } = inEachLanguage(assets, 'build-1', { languages, catalogs })
    expect(written.map(([path, content]) => [path, content.toString()])).toEqual([
      [script('with'), '"Sign in"'],
      [script('with.de'), '"Anmelden"'],
      [script('refers'), 'load("static/chunks/with.js")'],
      [script('refers.de'), 'load("static/chunks/with.de.js")'],
      [script('without'), 'load("static/chunks/other.js")'],
      ['/_next/static/chunks/style.css', ''],
    ])
    const page = `<script src="${script('refers')}"></script>{"b":"build-1"}{\\"b\\":\\"build-1\\"}`
    expect(translations.get('en')?.('page', page)).toBe(page)
    expect(translations.get('de')?.('page', page)).toBe(
      `<script src="${script('refers.de')}"></script>{"b":"build-1.de"}{\\"b\\":\\"build-1.de\\"}`,
    )
  })
})

describe('documents', () => {
  const inGerman = (text: string) => textsInDocument('page', text, 'de', catalogs)

  test('have texts, texts with arguments, and the texts around their elements', () => {
    expect(inGerman('<h1>⟦area.title⟧</h1>')).toBe('<h1>Anmelden</h1>')
    expect(inGerman(`<p>⟦area.count?${encodeURIComponent('{"count":2}')}⟧</p>`)).toBe('<p>2 Aufrufe</p>')
    expect(inGerman('⟦area.link/0⟧<a>⟦area.link/1⟧</a>⟦area.link/2⟧')).toBe('Lesen Sie <a>das</a>.')
  })

  test('refuse a text whose elements are in other places than in English', () => {
    expect(() => inGerman('⟦area.moved/0⟧<a>⟦area.moved/1⟧</a>⟦area.moved/2⟧')).toThrow(/same places as English/)
  })

  test('refuse a text that would need an escape', () => {
    expect(() => inGerman('⟦area.quoted⟧')).toThrow(/area\.quoted.*prerendered/)
  })
})

test('the module of an area names each text with its digest, and has the English text of elements for the prerendering', () => {
  const module = modulesOf(catalogs).area
  expect(module).toContain(
    `export const title = typeof window === 'undefined' ? __mark("area.title") : __text("area.title#abc123")`,
  )
  expect(module).toContain(`__message(__text("area.link#abc123"), __locale)`)
})

test('the pseudo-language accents and lengthens texts, and leaves arguments and elements alone', () => {
  expect(pseudo('Sign in')).toBe('[Šîĝñ îñ~~~]')
  expect(pseudo(['Hi ', ['name'], ['link', 'there']])).toEqual(['[Ĥî ', ['name'], ['link', 'ţĥéŕé'], '~~~]'])
  expect(pseudo([['count', 2, { other: [0, ' all'] }]])).toEqual(['[', ['count', 2, { other: [0, ' àļļ'] }], '~~]'])
  expect(pseudo([['at', 5, 'short']])).toEqual(['[', ['at', 5, 'short'], ']'])
})
