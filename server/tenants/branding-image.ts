import { notFound } from '#lib/errors.ts'
import { newId } from '#server/kernel/ids.ts'
import { lookUpForStranger } from '#server/kernel/rate/lookups.ts'
import { errorResponse, type RouteHandler } from '#server/kernel/rest.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findImage } from './image-store.ts'

/** `GET /v1/branding/<sha256>`: public, because the sign-in page shows it, and immutable, because its name is its digest. */
export const brandingImage: RouteHandler = async (_request, context) => {
  const requestId = newId()
  try {
    const digest = String((await context.params)?.sha256)
    const image = /^[0-9a-f]{64}$/.test(digest)
      ? await lookUpForStranger('branding', () => runtime().database.inDirectory((tx) => findImage(tx, digest)))
      : undefined
    if (image === undefined) throw notFound()
    return new Response(new Uint8Array(image.bytes), {
      headers: {
        'content-type': image.mediaType === 'image/svg+xml' ? `${image.mediaType}; charset=utf-8` : image.mediaType,
        'cache-control': 'public, max-age=31536000, immutable',
        etag: `"${digest}"`,
        'x-content-type-options': 'nosniff',
        // Opened directly, an SVG is a document: it gets no scripts, no origin and no external resources.
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
        // The identity provider's pages may have another origin.
        'cross-origin-resource-policy': 'cross-origin',
        'x-request-id': requestId,
      },
    })
  } catch (error) {
    return errorResponse(error, requestId)
  }
}
