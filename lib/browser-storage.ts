/** Accesses localStorage or sessionStorage. Returns undefined if the browser forbids storage or it is full. */
export function withStorage<T>(access: () => T): T | undefined {
  try {
    return access()
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}

/** The JSON that `access` reads from a storage. Undefined also if the text is not JSON. */
export function storedJson(access: () => string | null): unknown {
  const text = withStorage(access)
  try {
    return text ? JSON.parse(text) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
