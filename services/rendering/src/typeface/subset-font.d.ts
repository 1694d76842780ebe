declare module 'subset-font' {
  /** The part of a font that the characters of a text need, features and kerning included. */
  export default function subsetFont(
    font: Uint8Array,
    text: string,
    options: { targetFormat: 'woff2'; noHinting: boolean },
  ): Promise<Buffer>;
}
