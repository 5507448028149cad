import type { KindWords } from '../words.ts';

export const foodAndStay = {
  bakery: {
    noun: 'Panadería',
    name: 'El Obrador',
    heads: ['Pan por el que vale la pena madrugar.', 'Harina, agua, sal, paciencia.', 'Las buenas mañanas crujen.'],
    leads: [
      'Panes de corteza firme, hojaldre que cruje y ese olor que hace cambiar de acera.',
      'Amasamos a mano y horneamos a ojo: el pan de cada día y lo dulce para los días que lo piden.',
    ],
    offersLabel: 'Pan y dulces',
    offersHead: 'Recién salido del horno',
    offers: [
      ['Pan', 'Corteza dorada, miga jugosa. Bueno incluso sin nada.'],
      ['Bollería', 'Plegada, reposada, plegada otra vez. Mejor mientras cruje.'],
      ['Tartas', 'Para cumpleaños, domingos y porque sí.'],
      ['Por encargo', 'Dinos cuántos seréis a la mesa.'],
    ],
    about: [
      'Hacer pan es saber esperar',
      'La masa tiene su propio tiempo y no le discutimos. Reposa lo que necesita y luego le damos forma a mano. Lo demás es calor, y alguien que vigila el horno.',
    ],
    action: 'Encargar pan',
    image: 'Dibujo de una hogaza de pan',
  },

  restaurant: {
    noun: 'Restaurante',
    name: 'La Mesa Larga',
    heads: ['Siéntate. Estamos cocinando.', 'Una mesa, buena gente, algo en el fuego.', 'Ven con hambre, quédate la noche.'],
    leads: [
      'Una cocina que sigue al mercado y a la estación, en una sala donde nadie mira el reloj.',
      'Pocos platos, bien hechos, y el vino que les va. El resto de la noche es tuyo.',
    ],
    offersLabel: 'Carta',
    offersHead: 'Lo que llega a la mesa',
    offers: [
      ['Entrantes', 'Platos pequeños para compartir con la primera hambre.'],
      ['Principales', 'Lo que traía el mercado, cocinado para que aún se note.'],
      ['Postres', 'Siempre queda sitio. Nos encargamos de ello.'],
      ['Vinos y bebidas', 'Pregunta qué va con tu plato. Nos gusta esa pregunta.'],
    ],
    about: [
      'Una cocina con la puerta abierta',
      'Compramos lo que está bueno y después decidimos qué cocinar. Así la carta es corta y cada noche distinta. Desde la mesa se oyen las sartenes, y así debe ser.',
    ],
    action: 'Reservar mesa',
    image: 'Dibujo de un plato con cubiertos',
  },

  cafe: {
    noun: 'Café',
    name: 'La Segunda Taza',
    heads: ['Primero café. Luego lo demás.', 'El mejor sitio del barrio.', 'Quédate a otro.'],
    leads: [
      'Café hecho con cuidado, tartas bajo la campana y un rincón para tu libro, tu portátil o tus cosas.',
      'Una buena taza, una buena silla y nadie con prisa.',
    ],
    offersLabel: 'Carta',
    offersHead: 'En la barra',
    offers: [
      ['Café', 'Del espresso corto a la charla larga con café de filtro.'],
      ['Té y más', 'Hojas sueltas, chocolate caliente y algo frío cuando aprieta el calor.'],
      ['Desayuno', 'Para los que madrugan y para los que creen que las once es pronto.'],
      ['Tartas', 'Mira bajo la campana. Elegir no será más fácil.'],
    ],
    about: [
      'Un salón con mejor café',
      'Hay quien viene diez minutos y quien pasa la tarde. Las dos cosas están bien. El café nos lo tomamos en serio; a nosotros, un poco menos.',
    ],
    action: 'Saludar',
    image: 'Dibujo de una taza humeante',
  },

  bar: {
    noun: 'Bar',
    name: 'Pasadas las Ocho',
    heads: ['La noche empieza aquí.', '¿La última? La última.', 'Poca luz, buenos vasos.'],
    leads: [
      'Clásicos bien hechos, algunas ideas propias y alguien tras la barra que recuerda tu cara.',
      'Copas con sentido, música que deja hablar y un taburete que te espera.',
    ],
    offersLabel: 'Bebidas',
    offersHead: 'En la copa',
    offers: [
      ['Cócteles', 'Los clásicos como debían ser, y algunos solo nuestros.'],
      ['Vinos', 'Por copas, para poder cambiar de idea.'],
      ['Cervezas', 'Frías, bien tiradas y no solo las de siempre.'],
      ['Sin alcohol', 'El mismo trabajo, el mismo sabor, mejor mañana.'],
    ],
    about: [
      'Todo está en servir bien',
      'Un buen trago son pocas cosas buenas en el orden correcto. Un buen bar es lo mismo, con gente. Cuidamos de ambos.',
    ],
    action: 'Reservar sitio',
    image: 'Dibujo de una copa de cóctel',
  },

  hotel: {
    noun: 'Hotel',
    name: 'La Casa Tranquila',
    heads: ['Llega. Deja la maleta. Respira.', 'Una buena noche, y la mañana a juego.', 'Lejos de todo, cerca de lo que importa.'],
    leads: [
      'Habitaciones para dormir bien, un desayuno que merece madrugar y gente que conoce el camino.',
      'Una casa para quien viaja y prefiere lo sencillo bien hecho: buena cama, ventana tranquila, cálida bienvenida.',
    ],
    offersLabel: 'Habitaciones',
    offersHead: 'Donde vas a dormir',
    offers: [
      ['Individuales', 'Todo a mano, y una buena lámpara para leer.'],
      ['Dobles', 'Sitio para dos, y para dos maletas abiertas.'],
      ['Familiares', 'Camas para todos, y una puerta para cuando duermen los pequeños.'],
      ['Desayuno', 'La parte del viaje que nunca debe tener prisa.'],
    ],
    about: [
      'Anfitriones, no una recepción',
      'Nos gusta que los huéspedes bajen a desayunar más tarde de lo previsto. Pregúntanos por dónde pasearíamos, dónde cenaríamos, dónde está la vista. Para eso estamos.',
    ],
    action: 'Pedir habitación',
    image: 'Dibujo de una casa con ventanas',
  },

  winery: {
    noun: 'Bodega',
    name: 'Bodega de la Ladera',
    heads: ['El vino es paciencia embotellada.', 'De esta ladera, y de ninguna otra.', 'Lo que nos dio el año.'],
    leads: [
      'Vinos que saben a donde crecen: hechos en la viña y acompañados en la bodega con mano ligera.',
      'Cada añada es una carta del año anterior. Nosotros solo la embotellamos.',
    ],
    offersLabel: 'Vinos',
    offersHead: 'En la bodega',
    offers: [
      ['Blancos', 'Claros, vivos y sin prisa por gustar.'],
      ['Tintos', 'Con tiempo a su favor y sitio en la mesa.'],
      ['Espumosos', 'Para las buenas noticias y los martes corrientes.'],
      ['Catas', 'Un vino se entiende con la copa en la mano.'],
    ],
    about: [
      'Decide la viña',
      'Podamos, esperamos, miramos al cielo. En la bodega procuramos sobre todo no estorbar. Lo que pruebas es un lugar y un año.',
    ],
    action: 'Pedir una cata',
    image: 'Dibujo de un racimo de uvas',
  },

  florist: {
    noun: 'Floristería',
    name: 'Tallo y Hoja',
    heads: ['Dilo con algo que crece.', 'Ramos como cogidos por ti.', 'El camino más corto a una sonrisa.'],
    leads: [
      'Ramos atados a mano con lo que la estación quiera decir. Para los grandes días y la mesa de la cocina.',
      'Sueltas, frescas, un poco salvajes: flores como las pondría un jardín.',
    ],
    offersLabel: 'Flores',
    offersHead: 'Lo que hacemos con flores',
    offers: [
      ['Ramos', 'Dinos para quién. Lo demás lo encontramos.'],
      ['Bodas', 'Del prendido al arco, de una sola mano.'],
      ['Despedidas', 'Coronas y centros que encuentran el tono.'],
      ['Plantas', 'Para alféizares, balcones y principiantes.'],
    ],
    about: [
      'La estación es nuestro catálogo',
      'Lo que florece ahora huele mejor y dura más. Empezamos por ahí. Después añadimos una pizca de travesura.',
    ],
    action: 'Encargar flores',
    image: 'Dibujo de una flor',
  },

  bookshop: {
    noun: 'Librería',
    name: 'Página y Lámpara',
    heads: ['Tu próximo buen libro está por aquí.', 'Entras por uno. Sales con tres.', 'Estanterías con opinión.'],
    leads: [
      'Novelas, álbumes, algún que otro atlas y libreros que de verdad los han leído.',
      'Elegimos lo que prestaríamos a un amigo, y pedimos lo que falte.',
    ],
    offersLabel: 'Libros',
    offersHead: 'En nuestras estanterías',
    offers: [
      ['Ficción', 'Del libro del que todos hablan al que aún no conoce nadie.'],
      ['Infantil', 'Para leer en voz alta, a solas o bajo la manta.'],
      ['Ensayo', 'Historia, naturaleza, política, cocina: libros con los que discutir.'],
      ['Encargos', '¿No está? Dinos el título, o el color de la cubierta.'],
    ],
    about: [
      'Recomendar es nuestro oficio',
      'Cuéntanos qué leíste lo último y si te gustó. Casi siempre basta. A veces fallamos, y entonces hablamos de eso.',
    ],
    action: 'Preguntar por un libro',
    image: 'Dibujo de libros en un estante',
  },
} satisfies Record<string, KindWords>;
