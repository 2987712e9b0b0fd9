/**
 * Small texts stored in this browser, encrypted (AES-GCM, 256 bits) with a key that scripts can't extract. A copy of the
 * profile's files, or a script that reads storage, gets only ciphertext. The refresh token, sign-ins in progress and drafts are
 * stored here. Another script in the page could still request the texts; the content security policy prevents such scripts.
 *
 * Texts are read and written in the order of the calls, although encryption takes a different time for each.
 */
export type Vault = {
  get(name: string): Promise<string | undefined>
  set(name: string, text: string): Promise<void>
  remove(name: string): Promise<void>
  /** Names that begin with `prefix`. */
  names(prefix: string): Promise<string[]>
  /**
   * The P-256 pair that the session's tokens are bound to (RFC 9449), created at first use. Its private key can sign here
   * and can't be extracted, so a stolen token is useless elsewhere.
   */
  proofKeys(): Promise<CryptoKeyPair>
  /** Removes the texts and the keys. */
  clear(): Promise<void>
}

type Sealed = { iv: Uint8Array<ArrayBuffer>; data: ArrayBuffer }

const KEY = 'key'
const PROOF_KEYS = 'dpop'

/** Opens the vault at first use. Rejects with the browser's DOMException if storage is forbidden. */
export function openVault(databaseName: string): Vault {
  let opened: Promise<IDBDatabase> | undefined
  const database = () => {
    opened ??= openDatabase(databaseName, () => {
      opened = undefined
    })
    return opened
  }
  const run = async <T>(
    store: 'keys' | 'texts',
    mode: IDBTransactionMode,
    act: (store: IDBObjectStore) => IDBRequest<T>,
  ) => {
    const request = act((await database()).transaction(store, mode).objectStore(store))
    return await new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  }
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const done = last.then(act)
    // The caller gets the error; the next call begins all the same.
    last = done.catch(() => undefined)
    return done
  }
  /** If two tabs create a key concurrently, the first one is used. */
  const keep = async (name: string, made: CryptoKey | CryptoKeyPair): Promise<void> => {
    await run('keys', 'readwrite', (keys) => keys.add(made, name)).catch((error: unknown) => {
      if (!(error instanceof DOMException && error.name === 'ConstraintError')) throw error
    })
  }
  const key = async (): Promise<CryptoKey> => {
    const known: unknown = await run('keys', 'readonly', (keys) => keys.get(KEY))
    if (known instanceof CryptoKey) return known
    await keep(KEY, await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']))
    return await key()
  }
  const proofKeys = async (): Promise<CryptoKeyPair> => {
    const known: CryptoKeyPair | undefined = await run('keys', 'readonly', (keys) => keys.get(PROOF_KEYS))
    if (known !== undefined) return known
    await keep(
      PROOF_KEYS,
      await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']),
    )
    return await proofKeys()
  }
  const unsealed = async (name: string): Promise<string | undefined> => {
    const sealed: Sealed | undefined = await run('texts', 'readonly', (texts) => texts.get(name))
    if (sealed === undefined) return undefined
    try {
      const plain = await crypto.subtle.decrypt(
        { name: 'AES-GCM', iv: sealed.iv, additionalData: utf8(name) },
        await key(),
        sealed.data,
      )
      return new TextDecoder().decode(plain)
    } catch (error) {
      // Encrypted with a key that no longer exists, or copied from another name: treated as absent.
      if (error instanceof DOMException && error.name === 'OperationError') return undefined
      throw error
    }
  }
  const seal = async (name: string, text: string): Promise<void> => {
    const iv = crypto.getRandomValues(new Uint8Array(12))
    const data = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv, additionalData: utf8(name) },
      await key(),
      utf8(text),
    )
    await run('texts', 'readwrite', (texts) => texts.put({ iv, data } satisfies Sealed, name))
  }
  return {
    get: (name) => inTurn(() => unsealed(name)),
    set: (name, text) => inTurn(() => seal(name, text)),
    remove: (name) => inTurn(() => run('texts', 'readwrite', (texts) => texts.delete(name))),
    names: (prefix) =>
      inTurn(async () => {
        const names = await run('texts', 'readonly', (texts) => texts.getAllKeys())
        return names.filter((name): name is string => typeof name === 'string' && name.startsWith(prefix))
      }),
    proofKeys,
    clear: () =>
      inTurn(async () => {
        await run('texts', 'readwrite', (texts) => texts.clear())
        await run('keys', 'readwrite', (keys) => keys.clear())
      }),
  }
}

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

function openDatabase(name: string, onClosed: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1)
    request.onupgradeneeded = () => {
      request.result.createObjectStore('keys')
      request.result.createObjectStore('texts')
    }
    request.onsuccess = () => {
      const database = request.result
      database.onclose = onClosed
      // A newer version in another tab must not wait for this one.
      database.onversionchange = () => {
        database.close()
        onClosed()
      }
      resolve(database)
    }
    request.onerror = () => {
      onClosed()
      reject(request.error)
    }
  })
}
