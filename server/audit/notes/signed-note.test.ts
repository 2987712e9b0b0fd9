import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  formatCheckpoint,
  keyId,
  NoteError,
  parseCheckpoint,
  parseNote,
  signNote,
  verifierKey,
  verifyNote,
} from './signed-note.ts'

type Vector = { name: string; vkey: string; skey?: string; note: string; deterministic?: boolean }
const all: Vector[] = JSON.parse(readFileSync(new URL('../vectors/merkle/signed-notes.json', import.meta.url), 'utf8'))
// The entry of the tessera log contains only its keys. Its "note" names the location of the checkpoints.
const notes = all.filter(({ note }) => note.includes('\n'))
const withKey = all.flatMap(({ skey, ...vector }) => (skey ? [{ ...vector, ...privateKeyOf(skey) }] : []))

/** Reads golang.org/x/mod/sumdb/note's PRIVATE+KEY+name+id+base64(0x01 ‖ seed). */
function privateKeyOf(skey: string): { keyName: string; privateKey: KeyObject } {
  const [, , keyName = '', , ...encoded] = skey.split('+')
  const seed = Buffer.from(encoded.join('+'), 'base64').subarray(1)
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  return { keyName, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) }
}

const pair = generateKeyPairSync('ed25519')
const name = 'log.example/t/northwind/audit/2026-11-20'
const vkey = verifierKey(name, pair.publicKey)
const text = formatCheckpoint({ origin: name, size: 3, root: Buffer.alloc(32, 7) })
const note = signNote(text, { name, privateKey: pair.privateKey })

describe('published notes', () => {
  test('include three notes and two private keys', () => {
    expect(notes).toHaveLength(3)
    expect(withKey).toHaveLength(2)
  })

  test.each(notes)('$name verifies, and is refused after one changed character', ({ vkey, note }) => {
    expect(verifyNote(note, [vkey])).toEqual({
      ok: true,
      text: note.slice(0, note.lastIndexOf('\n\n') + 1),
      signedBy: [vkey.split('+')[0]],
    })
    expect(verifyNote(note.replace('e', 'f'), [vkey])).toMatchObject({ ok: false })
  })

  test.each(withKey)('$name: the private key has the published verifier key', ({ vkey, keyName, privateKey }) => {
    expect(verifierKey(keyName, createPublicKey(privateKey))).toBe(vkey)
    expect(keyId(keyName, createPublicKey(privateKey))).toBe(vkey.split('+')[1])
  })

  test('signing the published text again gives the same bytes', () => {
    const again = withKey.filter(({ note }) => note.includes('\n'))
    expect(again).toHaveLength(1)
    for (const { note, keyName, privateKey } of again) {
      expect(signNote(parseNote(note).text, { name: keyName, privateKey })).toBe(note)
    }
  })

  test('the sum.golang.org checkpoint is read', () => {
    const real = notes.find(({ vkey }) => vkey.startsWith('sum.golang.org+'))
    const checkpoint = parseCheckpoint(parseNote(real?.note ?? '').text)
    expect(checkpoint).toMatchObject({ origin: 'go.sum database tree', size: 35225469 })
    expect(Buffer.from(checkpoint.root).toString('base64')).toBe('vt5T6GaLCXvyHFl9VUvvItR43XZxfLgftEcTyO3eJCQ=')
  })
})

describe('verification', () => {
  const other = generateKeyPairSync('ed25519')

  test('returns the signed text', () => {
    expect(verifyNote(note, [vkey])).toEqual({ ok: true, text, signedBy: [name] })
    expect(parseCheckpoint(text)).toEqual({ origin: name, size: 3, root: Buffer.alloc(32, 7) })
  })

  test('every changed byte of the note is refused', () => {
    for (let place = 0; place < note.length; place++) {
      const changed = `${note.slice(0, place)}${note[place] === '1' ? '2' : '1'}${note.slice(place + 1)}`
      expect(verifyNote(changed, [vkey]), `at ${place}`).toMatchObject({ ok: false })
    }
  })

  test('a signature by an unknown key is ignored, and is not sufficient alone', () => {
    const both = signNote(
      text,
      { name: 'witness.example', privateKey: other.privateKey },
      { name, privateKey: pair.privateKey },
    )
    expect(verifyNote(both, [vkey])).toEqual({ ok: true, text, signedBy: [name] })
    expect(verifyNote(note, [verifierKey('witness.example', other.publicKey)])).toMatchObject({ ok: false })
    expect(verifyNote(note, [])).toMatchObject({ ok: false })
  })

  test('a valid signature does not make up for an invalid one by another known key', () => {
    const witness = 'witness.example'
    const stale = signNote('another text\n', { name: witness, privateKey: other.privateKey }).split('\n\n')[1]
    const keys = [vkey, verifierKey(witness, other.publicKey)]
    expect(verifyNote(`${note}${stale}`, keys)).toEqual({
      ok: false,
      reason: 'The signature by witness.example is wrong.',
    })
    expect(verifyNote(`${note}${stale}`, [vkey])).toMatchObject({ ok: true })
  })

  test('the key id covers the name: the same key under another name is another key', () => {
    expect(keyId('other.example', pair.publicKey)).not.toBe(keyId(name, pair.publicKey))
    expect(verifyNote(note, [verifierKey('other.example', pair.publicKey)])).toMatchObject({ ok: false })
  })

  test('a malformed verifier key throws', () => {
    expect(() => verifyNote(note, [vkey.replace('+', '')])).toThrow(NoteError)
    expect(() => verifyNote(note, [vkey.replace(/\+[0-9a-f]{8}\+/, '+00000000+')])).toThrow(/does not match/)
    expect(() => verifyNote(note, [`${name}+00000000+${Buffer.alloc(33, 4).toString('base64')}`])).toThrow(
      /not an Ed25519/,
    )
  })
})

describe('form', () => {
  const signature = note.slice(text.length + 1)

  test.each([
    ['no signatures', text],
    ['no final newline', note.slice(0, -1)],
    ['no empty line', `${text}${signature}`],
    ['a hyphen for the dash', note.replace('— ', '- ')],
    ['base64 with something after it', note.replace(/\n$/, '!\n')],
    ['a third field', note.replace(/\n$/, ' x\n')],
    ['a key id without a signature', `${text}\n— ${name} AAAAAA==\n`],
    ['a carriage return in the text', note.replace('\n3\n', '\r\n3\n')],
    ['101 signatures', `${text}\n${signature.repeat(101)}`],
  ])('%s is malformed', (_name, malformed) => {
    expect(() => parseNote(malformed)).toThrow(NoteError)
    expect(verifyNote(malformed, [vkey])).toMatchObject({ ok: false })
  })

  test('an empty line within a text is kept', () => {
    const odd = 'one\n\ntwo\n'
    expect(parseNote(signNote(odd, { name, privateKey: pair.privateKey })).text).toBe(odd)
  })

  test('invalid names, texts and keys are refused', () => {
    const { privateKey } = pair
    for (const bad of ['', 'a b', 'a+b', 'a\u00a0b', 'a\nb'])
      expect(() => signNote(text, { name: bad, privateKey })).toThrow(NoteError)
    for (const bad of ['', 'no newline', 'tab\t\n', '\ud800\n'])
      expect(() => signNote(bad, { name, privateKey })).toThrow(NoteError)
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    expect(() => signNote(text, { name, privateKey: rsa.privateKey })).toThrow(TypeError)
  })

  test.each([
    ['an empty origin', { origin: '', size: 1, root: Buffer.alloc(32) }],
    ['an origin of two lines', { origin: 'a\nb', size: 1, root: Buffer.alloc(32) }],
    ['a negative size', { origin: 'a', size: -1, root: Buffer.alloc(32) }],
    ['a short root', { origin: 'a', size: 1, root: Buffer.alloc(31) }],
  ])('%s makes no checkpoint', (_name, checkpoint) => {
    expect(() => formatCheckpoint(checkpoint)).toThrow(NoteError)
  })

  const root = Buffer.alloc(32).toString('base64')
  test.each([
    'a\n1\n',
    `a\n01\n${root}\n`,
    `a\n-1\n${root}\n`,
    `a\n1\n${root.slice(0, -2)}\n`,
    `\n1\n${root}\n`,
    `a\n9007199254740992\n${root}\n`,
  ])('%j is not a checkpoint', (malformed) => {
    expect(() => parseCheckpoint(malformed)).toThrow(NoteError)
  })

  test('extension lines are skipped', () => {
    expect(parseCheckpoint(`a\n1\n${root}\nextension\n`)).toEqual({ origin: 'a', size: 1, root: Buffer.alloc(32) })
  })
})
