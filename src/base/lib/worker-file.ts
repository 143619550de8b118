import { extname } from 'node:path'

/**
 * Returns the URL of a file in the folder of `module`, an `import.meta.url`. The extension is `.ts`
 * in the sources and `.js` in the build.
 */
export function workerFile(module: string, name: string): URL {
  return new URL(`./${name}${extname(module)}`, module)
}
