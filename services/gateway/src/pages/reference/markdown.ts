import { html, Markup } from '@pinkas/ui';
import { Marked } from 'marked';

export const slug = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** @param below how many levels its headings are below those of the text. */
function markdown(below: number): Marked {
  return new Marked({
    walkTokens: (token) => {
      if (token.type === 'heading') {
        token.depth += below;
      }
    },
    renderer: {
      heading(token) {
        const name = `h${token.depth}`;
        return `<${name} id="guide/${slug(token.text)}">${this.parser.parseInline(token.tokens)}</${name}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const address = href.replace(/^#(?=[^/]*$)/, '#guide/');
        // A path of the repository leads nowhere here.
        return /^(https?:|[/#])/.test(href) ? html`<a href="${address}">${new Markup(text)}</a>`.text : text;
      },
      tablecell({ header, tokens }) {
        const text = this.parser.parseInline(tokens);
        // A heading without words heads nothing.
        const name = header && text !== '' ? 'th' : 'td';
        return `<${name}>${text}</${name}>\n`;
      },
      html: ({ text }) => html`${text}`.text,
    },
  });
}

const [page, part] = [markdown(0), markdown(1)];

/** A page of its own. */
export const document = (text: string) => new Markup(page.parse(text, { async: false }));
/** A part below the heading of its page. */
export const block = (text: string) => new Markup(part.parse(text, { async: false }));
export const inline = (text: string) => new Markup(part.parseInline(text, { async: false }));
