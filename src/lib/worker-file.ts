import { extname } from 'node:path'

/**
 * Returns the URL of the file that a worker thread runs. The file is in the folder of a module.
 * @param module the `import.meta.url` of the module.
 * @param name the name of the file without its extension, which is `.ts` in the sources and `.js` in the build.
 */
export function workerFile(module: string, name: string): URL {
  return new URL(`./${name}${extname(module)}`, module)
}
